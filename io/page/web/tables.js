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
    fact(run.ran ? "Simulated" : "Shown", duration.toFixed(2), "s"), fact("Time step", short(1000 * run.dt), "ms"),
    fact("Contact model", run.contact),
  ];
  if (speed > 0) facts.push(fact("Speed", speed >= 1000 ? `${short(Math.round(speed / 100) / 10)}k` : short(+speed.toPrecision(2)), "× real time"));
  document.getElementById("facts").append(...facts);
  const made = run.ran ? `${run.steps.toLocaleString("en")} steps of ${short(1000 * run.dt)} ms` : `${motion.frames.toLocaleString("en")} given states`;
  const how = run.contact === "none" ? "no contact" : `contact ${run.contact}${run.ran ? "" : " for the forces"}`;
  document.getElementById("subtitle").textContent = `Tactus ${run.version} · ${made} · integrator ${run.integrator} · ${how}`;
  document.getElementById("command").textContent = run.command;
  const notice = document.getElementById("notice");
  const words = [];
  if (!run.complete) words.push(`The run stopped early: ${run.status}. What was simulated until then is shown.`);
  if (run.unsolved > 0) words.push(`${run.unsolved.toLocaleString("en")} of ${run.steps.toLocaleString("en")} steps were not solved: they go on with the best state that was found.`);
  if (run.motion.contacts.unknown > 0) words.push(`${plural(run.motion.contacts.unknown, "frame")} have no contact forces, because the step from there fails.`);
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

function controlRange(actuator) {
  const turns = actuator.unit === "rad", [low, high] = actuator.range.map(x => short(+(turns ? degrees(x) : x).toPrecision(3)));
  return `${low} to ${high}${turns ? "°" : actuator.unit ? ` ${actuator.unit}` : ""}`;
}

function showTables() {
  const heaviest = Math.max(...model.bodies.map(body => body.mass)), parent = document.getElementById("tables");
  const bodies = model.bodies.slice(1).map(body => [body.name, model.bodies[body.parent].name, massCell(body.mass, heaviest)]);
  parent.append(table("Bodies", [["Name"], ["Parent"], ["Mass, kg", true]], bodies));
  const joints = model.joints.map(joint => [joint.name, joint.type, model.bodies[joint.body].name, rangeText(joint)]);
  if (joints.length > 0) parent.append(table("Joints", [["Name"], ["Type"], ["Body"], ["Range", true]], joints));
  const actuators = model.actuators.map(a => [a.name, a.drives, a.range ? controlRange(a) : "–"]);
  if (actuators.length > 0) parent.append(table("Actuators", [["Name"], ["Drives"], ["Control range", true]], actuators));
  const options = run.options.map(option => [element("span", { title: option.text }, option.name), typeof option.value === "number" ? short(option.value) : String(option.value)]);
  parent.append(table(`Options of contact ${run.contact}`, [["Name"], ["Value", true]], options));
}
