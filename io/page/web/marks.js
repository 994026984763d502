/* What is drawn over the robot on request: contact forces, friction cones, centre of mass, frames, joint axes, and the
 * derivative. A mark is { kind: "arrow", from, to, radius } or { kind: "line", from, to, radius }, { kind: "cone", from,
 * to, radius }, { kind: "ball", at, radius }, each with colour and alpha. */

const MARK_COLOURS = {
  light: { sticks: "#0d9488", slides: "#e4572e", mass: "#db2777", axis: "#b7791f", derivative: "#7c3aed", target: "#0891b2", place: "#64748b",
    x: "#dc2626", y: "#16a34a", z: "#2563eb" },
  dark: { sticks: "#2dd4bf", slides: "#ff8a5c", mass: "#f472b6", axis: "#f2c14e", derivative: "#b794ff", target: "#22d3ee", place: "#94a3b8",
    x: "#f87171", y: "#4ade80", z: "#7aa8ff" },
};
const WEIGHT_LENGTH = .5;  // of the robot's radius: an arrow for its own weight
const MOST_WEIGHTS = 3;    // longer arrows are cut
const CONE_HEIGHT = .22;   // of the radius
const CONE_RIM = .075;     // of the radius, at most: cones of a foot's corners stay apart
const THICKNESS = .015;    // of the radius

const rgbOf = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);
const markColour = name => rgbOf(MARK_COLOURS[theme()][name]);

const totalMass = model.bodies.slice(1).reduce((sum, body) => sum + body.mass, 0);
const weight = totalMass * (length(model.gravity) || 9.81) || 1;

/* The frame whose contacts belong to a moment: the one that was reached last. */
function contactFrame(time) {
  const { frame, share } = frameAt(time);
  return share > .999 ? Math.min(frame + 1, motion.frames - 1) : frame;
}

function forceMark(contact, size) {
  const force = length(contact.force), long = WEIGHT_LENGTH * size * Math.min(MOST_WEIGHTS, force / weight);
  return { kind: "arrow", from: contact.place, to: add(contact.place, scale(unit(contact.force), long)), radius: THICKNESS * size,
    colour: markColour(contact.slides ? "slides" : "sticks"), alpha: 1, force };
}

function coneMark(contact, size) {
  const high = size * Math.min(CONE_HEIGHT, CONE_RIM / contact.friction);
  return { kind: "cone", from: contact.place, to: add(contact.place, scale(unit(contact.normal), high)), radius: high * contact.friction,
    colour: markColour(contact.slides ? "slides" : "sticks"), alpha: .36 };
}

/* Centre of mass of all moving bodies at the present poses. */
function massCentre() {
  let sum = [0, 0, 0];
  model.bodies.forEach((body, i) => { if (i > 0) sum = add(sum, scale(transformPoint(bodyPose[i], body.centre), body.mass)); });
  return totalMass > 0 ? scale(sum, 1 / totalMass) : [0, 0, 0];
}

function massMarks(size) {
  const at = massCentre(), colour = markColour("mass"), floor = floorHeight();
  return [{ kind: "ball", at, radius: .035 * size, colour, alpha: 1 },
    { kind: "line", from: at, to: [at[0], at[1], floor], radius: .25 * THICKNESS * size, colour, alpha: 1 },
    { kind: "ball", at: [at[0], at[1], floor], radius: .014 * size, colour, alpha: 1 }];
}
const floorHeight = () => floors.length > 0 ? floors[0].world[14] : 0;

function frameMarks(size) {
  return model.bodies.slice(1).flatMap((_, i) => ["x", "y", "z"].map((name, k) => {
    const m = bodyPose[i + 1], at = [m[12], m[13], m[14]], axis = [m[4 * k], m[4 * k + 1], m[4 * k + 2]];
    return { kind: "arrow", from: at, to: add(at, scale(axis, .13 * size)), radius: .45 * THICKNESS * size, colour: markColour(name), alpha: 1 };
  }));
}

function axisMarks(size) {
  return model.joints.filter(joint => joint.type === "hinge" || joint.type === "slide").map(joint => {
    const m = bodyPose[joint.body], at = transformPoint(m, joint.pos), tip = transformPoint(m, add(joint.pos, joint.axis));
    const half = scale(unit(sub(tip, at)), .11 * size);
    return { kind: "arrow", from: sub(at, half), to: add(at, half), radius: .5 * THICKNESS * size, colour: markColour("axis"), alpha: 1 };
  });
}

/* --- the derivative --- */
const lastPlace = m => { const i = 7 * ((m.frames - 1) * nbody + gradient.body); return [m.pose[i], m.pose[i + 1], m.pose[i + 2]]; };
const gradientReach = () => gradient.values[gradient.values.length - 1] - gradient.values[gradient.own];
/* Where the derivative leads to from the page's own motion, at the largest value of the parameter. */
const gradientTip = () => add(lastPlace(motions[gradient.own]), scale(gradient.derivative, gradientReach()));

/* The arrow stands where the body ends, with its vertical part. Above a floor, places are drawn on the floor too, below the
 * robot, so that it does not hide them: the arrow's path there, and thin lines up to where it begins and ends, and to the
 * last place of the motion that is shown. */
function gradientMarks(size) {
  const colour = markColour("derivative"), onFloor = floors.some(floor => floor.solid), height = floorHeight() + .03 * size;
  const lower = p => onFloor ? [p[0], p[1], height] : p;
  const places = motions.map((m, i) => ({ kind: "ball", at: lower(lastPlace(m)), radius: (m === motion ? .034 : .022) * size,
    colour: m === motion || i === gradient.own ? colour : markColour("place"), alpha: 1 }));
  const from = lastPlace(motions[gradient.own]), to = gradientTip();
  const line = (a, b, share) => ({ kind: "line", from: a, to: b, radius: share * THICKNESS * size, colour, alpha: 1 });
  const below = onFloor ? [line(lower(from), lower(to), .4), ...[from, to, lastPlace(motion)].map(p => line(lower(p), p, .2))] : [];
  return [{ kind: "arrow", from, to, radius: THICKNESS * size, colour, alpha: 1 }, ...places, ...below];
}

/* All marks of a moment; `size`: the robot's radius. The number of contact arrows is kept beside them. */
function marksAt(time, size) {
  const contacts = motion.contacts.at(contactFrame(time)), marks = [];
  if (player.shows.forces) marks.push(...contacts.map(contact => ({ ...forceMark(contact, size), isForce: true })));
  if (player.shows.cones) marks.push(...contacts.filter(contact => contact.friction > 0).map(contact => coneMark(contact, size)));
  if (player.shows.mass) marks.push(...massMarks(size));
  if (player.shows.frames) marks.push(...frameMarks(size));
  if (player.shows.axes) marks.push(...axisMarks(size));
  if (gradient && player.shows.gradient) marks.push(...gradientMarks(size));
  if (plan && player.shows.targets) marks.push(...targetMarks(time, size));
  return marks;
}

/* --- the key --- */
function showKey() {
  const { shows } = player, colours = MARK_COLOURS[theme()], rows = [];
  const row = (names, text) => rows.push(element("span", {}, ...names.map(name => {
    const swatch = element("i");
    swatch.style.background = colours[name];
    return swatch;
  }), text));
  const touches = motion.count.some(n => n > 0);
  if (touches && (shows.forces || shows.cones)) {
    row(["sticks"], "contact sticks");
    row(["slides"], "contact slides");
  }
  if (shows.mass) row(["mass"], "centre of mass");
  if (shows.frames) row(["x", "y", "z"], "axes x, y, z of bodies");
  if (shows.axes) row(["axis"], "joint axes");
  if (gradient && shows.gradient) {
    row(["derivative"], "derivative, and the place it starts from");
    row(["place"], "last places of the other motions");
  }
  if (plan && shows.targets && plan.targets.length > 0) row(["target"], "targets, large while they count");
  const bar = element("span", { class: "ruler" }, element("b"), `${short(+weight.toPrecision(3))} N, the robot's weight; arrows end at ${MOST_WEIGHTS} weights`);
  if (touches && shows.forces) rows.push(bar);
  byId("key").replaceChildren(...rows);
}

/* The ruler of the key is as long as an arrow of one weight in the middle of the picture. `view`: the picture's width and
 * height on the page. */
function fitRuler(size, view) {
  const ruler = document.querySelector(".ruler b");
  if (!ruler || (ruler.fitted === camera.distance && ruler.view === view)) return;
  Object.assign(ruler, { fitted: camera.distance, view });
  const tall = view.height, wide = Math.max(1, WIDE / (view.width / tall));
  ruler.style.width = `${Math.min(160, WEIGHT_LENGTH * size * tall / (2 * camera.distance * wide * Math.tan(LENS / 2))).toFixed(1)}px`;
}
