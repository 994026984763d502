/* What the model is made of, and the figures at the top. */

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const degrees = x => x * 180 / Math.PI;

function fact(name, value, unitText) {
  const number = element("dd", {}, value);
  if (unitText) number.append(element("small", {}, unitText));
  return element("div", {}, element("dt", {}, name), number);
}

function showFacts() {
  const mass = model.bodies.reduce((sum, body) => sum + body.mass, 0), speed = run.seconds > 0 ? duration / run.seconds : 0;
  const facts = [
    fact("Mass", short(mass), "kg"), fact("Degrees of freedom", String(model.nv)), fact("Actuators", String(model.nu)),
    fact("Simulated", duration.toFixed(2), "s"), fact("Time step", short(1000 * run.dt), "ms"),
  ];
  if (speed > 0) facts.push(fact("Speed", speed >= 1000 ? `${short(Math.round(speed / 100) / 10)}k` : short(+speed.toPrecision(2)), "× real time"));
  document.getElementById("facts").append(...facts);
  document.getElementById("subtitle").textContent = `Tactus ${run.version} · ${run.steps.toLocaleString("en")} steps of ${short(1000 * run.dt)} ms · integrator ${run.integrator} · ${run.contact === "none" ? "no contact" : `contact ${run.contact}`}`;
  document.getElementById("command").textContent = run.command;
  const notice = document.getElementById("notice");
  const words = [];
  if (!run.complete) words.push(`The run stopped early: ${run.status}. What was simulated until then is shown.`);
  if (run.unsolved > 0) words.push(`${run.unsolved.toLocaleString("en")} of ${run.steps.toLocaleString("en")} steps were not solved: they go on with the best state that was found.`);
  if (run.infeasible) words.push("The start breaks constraints.");
  notice.hidden = words.length === 0;
  notice.textContent = words.join(" ");
}

/* columns: [heading, numeric]; rows: arrays of text or nodes. */
function table(title, columns, rows) {
  const head = element("tr", {}, ...columns.map(([name, numeric]) => element("th", numeric ? { class: "n" } : {}, name)));
  const body = rows.map(row => element("tr", {}, ...row.map((cell, i) => element("td", { class: columns[i][1] ? "n" : i > 0 ? "dim" : "" }, cell))));
  const grid = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", { class: "card table" }, element("h2", {}, title, element("span", {}, String(rows.length))), element("div", { class: "scroll", tabindex: "0" }, grid));
}

function massCell(mass, heaviest) {
  const fill = element("i"), cell = element("span", {}, short(mass), element("span", { class: "bar" }, fill));
  fill.style.width = `${heaviest > 0 ? 100 * mass / heaviest : 0}%`;
  return cell;
}

function rangeText(joint) {
  if (!joint.range) return "–";
  const angular = joint.type !== "slide", convert = angular ? degrees : x => x;
  return `${short(+convert(joint.range[0]).toPrecision(3))} to ${short(+convert(joint.range[1]).toPrecision(3))}${angular ? "°" : " m"}`;
}

function showTables() {
  const heaviest = Math.max(...model.bodies.map(body => body.mass)), parent = document.getElementById("tables");
  const bodies = model.bodies.slice(1).map(body => [body.name, model.bodies[body.parent].name, massCell(body.mass, heaviest)]);
  parent.append(table("Bodies", [["Name"], ["Parent"], ["Mass, kg", true]], bodies));
  const joints = model.joints.map(joint => [joint.name, joint.type, model.bodies[joint.body].name, rangeText(joint)]);
  if (joints.length > 0) parent.append(table("Joints", [["Name"], ["Type"], ["Body"], ["Range", true]], joints));
  const actuators = model.actuators.map(a => [a.name, a.drives, a.range ? `${short(a.range[0])} to ${short(a.range[1])}` : "–"]);
  if (actuators.length > 0) parent.append(table("Actuators", [["Name"], ["Drives"], ["Control range", true]], actuators));
}
