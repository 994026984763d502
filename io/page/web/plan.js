/* A plan: its iterations, of which a slider shows one and ghosts some others; targets; cost by iteration and by term. */

const GHOSTS = 4;         // earlier iterations that are drawn beside the one that is shown
const GHOST_ALPHA = .16;

/* --- ghosts --- */
/* Iterations that have ghosts, evenly spread; the last is the plan itself. */
const ghostMotions = plan ? Array.from({ length: Math.min(GHOSTS, motions.length - 1) },
  (_, i) => Math.floor(i * (motions.length - 1) / Math.min(GHOSTS, motions.length - 1))) : [];

/* Copies of what moves, for each of them. */
const ghostsOf = items => ghostMotions.flatMap(ghost => items.filter(item => item.body > 0)
  .map(item => ({ ...item, world: new Float32Array(16), alpha: GHOST_ALPHA, ghost })));

function placeGhosts(ghosts, time) {
  const own = motion;
  for (const index of ghostMotions) {
    motion = motions[index];
    poseBodies(Math.min(time, motion.time[motion.frames - 1] - motion.time[0]));
    placeItems(ghosts.filter(item => item.ghost === index));
  }
  motion = own;
  poseBodies(time);
}

/* --- targets --- */
function targetMarks(time, size) {
  const frame = contactFrame(time), colour = markColour("target");
  return plan.targets.map(target => ({ kind: "ball", at: target.place, colour, alpha: 1,
    radius: (frame >= target.first && frame <= target.last ? .045 : .02) * size }));
}

/* --- the slider --- */
function showIteration(i) {
  motion = motions[i];
  const iteration = plan.iterations[i], slider = byId("iteration");
  slider.value = i;
  slider.style.setProperty("--done", `${100 * i / Math.max(1, motions.length - 1)}%`);
  byId("iteration-now").textContent = i === motions.length - 1 ? "the plan" : `iteration ${iteration}`;
  const at = Math.min(iteration, plan.cost.length - 1);
  byId("iteration-text").textContent = plan.cost.length > 0
    ? `Cost ${short(+plan.cost[at].toPrecision(4))}, violation ${short(+plan.violation[at].toPrecision(3))}.` : "";
  document.querySelectorAll(".iterations circle.now").forEach(dot => dot.dispatchEvent(new CustomEvent("place", { detail: at })));
  plots.forEach(plot => plot.rebind());
  showKey();
  changed();
}

function connectPlan() {
  byId("plan").hidden = !plan || motions.length < 2;
  if (!plan) return;
  byId("iteration").max = motions.length - 1;
  byId("iteration").addEventListener("input", event => showIteration(+event.target.value));
  byId("iteration-ticks").replaceChildren(...plan.iterations.map((iteration, i) => {
    const button = element("button", { type: "button" }, i === motions.length - 1 ? "plan" : String(iteration));
    button.addEventListener("click", () => showIteration(i));
    return button;
  }));
  showIteration(motions.length - 1);
}

/* --- cost and violation by iteration --- */
const CHART = { width: 520, height: 130, left: 56, right: 10, top: 8, bottom: 20 };

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/* Values over iterations; `logarithmic`: those above 0 by their size. Null where a value is not a number. */
function iterationChart(title, unitText, values, logarithmic) {
  const shown = values.map(x => x === null || (logarithmic && !(x > 0)) ? null : logarithmic ? Math.log10(x) : x);
  const known = shown.filter(x => x !== null);
  if (known.length < 2) return null;
  const low = Math.min(...known), high = Math.max(...known), span = high - low || 1;
  const x = i => CHART.left + (CHART.width - CHART.left - CHART.right) * i / (values.length - 1);
  const y = v => CHART.top + (CHART.height - CHART.top - CHART.bottom) * (high - v) / span;
  const text = v => short(+(logarithmic ? 10 ** v : v).toPrecision(3));
  const points = shown.map((v, i) => v === null ? null : `${x(i).toFixed(1)},${y(v).toFixed(1)}`).filter(point => point);
  const now = svg("circle", { class: "now", r: 4, cx: x(0), cy: y(low), visibility: "hidden" });
  now.addEventListener("place", ({ detail }) => {
    now.setAttribute("visibility", shown[detail] === null ? "hidden" : "visible");
    if (shown[detail] === null) return;
    now.setAttribute("cx", x(detail));
    now.setAttribute("cy", y(shown[detail]));
  });
  const label = (at, v) => svg("text", { x: CHART.left - 7, y: at, "text-anchor": "end" }, text(v));
  const picture = svg("svg", { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": `${title} by iteration` },
    label(y(high) + 8, high), ...(high > low ? [label(y(low), low)] : []),
    svg("text", { x: CHART.left, y: CHART.height - 4 }, "0"),
    svg("text", { x: CHART.width - CHART.right, y: CHART.height - 4, "text-anchor": "end" }, `iteration ${values.length - 1}`),
    svg("polyline", { points: points.join(" ") }), now);
  return element("div", { class: "card plot iterations" }, element("h2", {}, title, element("span", {}, unitText)), picture);
}

function termsTable() {
  const most = Math.max(...plan.terms.map(term => term.cost), 0);
  return table("Cost by term", [["Term"], ["Cost", true]], plan.terms.map(term => [term.name, massCell(term.cost, most)]));
}

function addPlanCharts() {
  if (!plan) return;
  const charts = [iterationChart("Cost", "by iteration", plan.cost, plan.cost.every(x => x > 0)),
    iterationChart("Violation", "by iteration, largest", plan.violation, true),
    iterationChart("Kappa", "of the derivatives, by iteration", plan.kappa, true)].filter(chart => chart);
  byId("plots").prepend(...(plan.terms.length > 0 ? [termsTable()] : []), ...charts);
}
