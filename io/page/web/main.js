/* Puts it together: theme, playback, drawing, plots. */

const byId = id => document.getElementById(id);
const FOLLOW_FROM = 1.2;   // travel, in robot radii, from which on the camera follows by itself
const HURRY = 6;           // 1/s: how fast it catches up
const HINT_SECONDS = 6;

/* --- theme --- */
const darkWanted = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme;
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  plots.forEach(plot => plot.redraw());
  showKey();
  changed();
}

/* --- state of the player --- */
const player = { time: 0, playing: false, speed: 1, follow: false, collision: false, dirty: true, last: 0, slow: 0, quality: 0,
  shows: { forces: true, cones: true, mass: false, frames: false, axes: false, gradient: true, ghosts: true, targets: true } };
/* Where a machine does not draw fast enough: share of the pixels along each side, and samples of a shadow's edge. */
const QUALITIES = [{ share: 1, samples: 16 }, { share: .8, samples: 8 }, { share: .6, samples: 4 }, { share: .45, samples: 2 }, { share: .33, samples: 1 }];
const SLOW = .028, SLOW_FRAMES = 5; // s, and how many such frames in a row lower the quality
const plots = [];

function changed(byHand) {
  player.dirty = true;
  if (byHand === true) byId("hint").classList.add("gone");
}

function seek(time) {
  player.time = Math.max(0, Math.min(duration, time));
  changed();
}

function setPlaying(playing) {
  if (playing && player.time >= duration) player.time = 0;
  player.playing = playing && duration > 0;
  player.slow = 0;
  byId("playicon").setAttribute("d", player.playing ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5v14l11-7z");
  changed();
}

/* --- scene --- */
const canvas = byId("canvas");
const software = drawsInSoftware(), items = makeItems(software ? 12 : 40);
const hasLooks = items.some(item => item.looks), hasBoth = hasLooks && items.some(item => !item.looks);
const ghosts = ghostsOf(items);
const shown = item => (item.ghost === undefined || (player.shows.ghosts && motions[item.ghost] !== motion)) &&
  (player.collision ? item.collides || !hasBoth : item.looks || !hasLooks);
const survey = surveyMotion(items.filter(shown));
const floors = makeFloors(survey);

function makeRenderer() {
  try {
    return new Renderer(canvas, [...items, ...ghosts], floors, software);
  } catch (reason) {
    console.warn(`falling back to a plain drawing: ${reason.message}`);
    const fresh = canvas.cloneNode(); // a canvas keeps the kind of its first context
    canvas.replaceWith(fresh);
    return new Painter(fresh, makeItems(12), floors);
  }
}

/* Middle of the robot at the present poses: the mean of its bodies, by mass. */
function middle() {
  let sum = [0, 0, 0], mass = 0;
  model.bodies.forEach((body, i) => {
    if (i === 0) return;
    const weight = body.mass + 1e-9, m = bodyPose[i];
    sum = add(sum, scale([m[12], m[13], m[14]], weight));
    mass += weight;
  });
  return mass > 0 ? scale(sum, 1 / mass) : [0, 0, 0];
}

function homeView() {
  const wanders = !gradient && !plan && survey.travel > FOLLOW_FROM * survey.radius;
  poseBodies(0);
  placeItems(items);
  const box = wanders ? boundsOf(items.filter(item => shown(item) && item.body > 0)) : { low: [...survey.low], high: [...survey.high] };
  const places = gradient ? [gradientTip(), ...motions.map(lastPlace)] : plan ? plan.targets.map(target => target.place) : [];
  for (const place of places)
      for (let k = 0; k < 3; k++) { box.low[k] = Math.min(box.low[k], place[k]); box.high[k] = Math.max(box.high[k], place[k]); }
  const radius = Math.max(length(sub(box.high, box.low)) / 2, survey.radius, 1e-3);
  const target = scale(add(box.low, box.high), .5);
  return { wanders, radius: survey.radius || radius, home: { target, distance: .76 * radius / Math.sin(LENS / 2), turn: -.95, lift: .30 } };
}

const { wanders, radius, home } = homeView();
const renderer = makeRenderer();
if (renderer.software) player.quality = 3;
const camera = new Camera(renderer.canvas, home, changed);
const anchor = sub(home.target, middle()); // from the robot's middle to what the camera looks at

function setFollow(follow) {
  player.follow = follow;
  byId("follow").setAttribute("aria-pressed", String(follow));
  if (!follow) camera.target = [...home.target];
  changed();
}

/* The size of the picture on the page, asked for only where it may have changed: asking makes the browser lay out. */
function measureView() { player.view = byId("view").getBoundingClientRect(); }

/* A canvas that changes its size is blank: draw at once. A picture that stands still has all its pixels. */
function fitCanvas() {
  const view = player.view, share = player.playing ? QUALITIES[player.quality].share : 1;
  const ratio = (!player.playing && renderer.software ? 2 : 1) * share * Math.min(2, devicePixelRatio || 1);
  const width = Math.max(1, Math.round(view.width * ratio)), height = Math.max(1, Math.round(view.height * ratio));
  if (renderer.canvas.width === width && renderer.canvas.height === height) return;
  Object.assign(renderer.canvas, { width, height });
  drawScene(0);
}

/* Draws the moment. The canvas says which frame's contacts are drawn, and how many arrows they have. */
function drawScene(elapsed) {
  poseBodies(player.time);
  placeItems(renderer.items);
  if (ghosts.length > 0) placeGhosts(ghosts, player.time);
  placeItems(floors);
  if (player.follow) {
    const wish = add(middle(), anchor), share = 1 - Math.exp(-HURRY * elapsed);
    camera.target = length(sub(wish, camera.target)) > 4 * radius ? wish : add(camera.target, scale(sub(wish, camera.target), share));
  }
  const aspect = renderer.canvas.width / renderer.canvas.height, samples = player.playing ? QUALITIES[player.quality].samples : 16;
  const arrows = renderer.draw({ ...camera.look(aspect), radius, cell: roundStep(radius / 2.5), look: theme(), shown, samples, marks: marksAt(player.time, radius) });
  Object.assign(renderer.canvas.dataset, { frame: contactFrame(player.time), arrows });
  fitRuler(radius, player.view);
}

/* Lower quality where drawing is too slow, and does not become faster by itself. */
function watchSpeed(elapsed) {
  player.slow = elapsed > SLOW ? player.slow + 1 : 0;
  if (player.slow < SLOW_FRAMES || player.quality + 1 >= QUALITIES.length) return;
  player.slow = 0;
  player.quality++;
  fitCanvas();
}

/* --- the loop --- */
function showTime() {
  const scrub = byId("scrub");
  scrub.value = player.time;
  scrub.style.setProperty("--done", `${duration > 0 ? 100 * player.time / duration : 0}%`);
  const [now, end] = byId("clock").children;
  now.textContent = player.time.toFixed(2);
  end.textContent = ` / ${duration.toFixed(2)}`;
  plots.forEach(plot => plot.draw(player.time));
}

function tick(now) {
  const elapsed = Math.min(.1, (now - player.last) / 1000);
  player.last = now;
  if (player.playing) {
    watchSpeed(elapsed);
    player.time += elapsed * player.speed;
    if (player.time > duration) player.time = duration > 0 ? player.time % duration : 0;
    player.dirty = true;
  }
  if (player.dirty) {
    player.dirty = false;
    fitCanvas();
    showTime();
    drawScene(elapsed);
  }
  requestAnimationFrame(tick);
}

/* --- controls --- */
function connect() {
  byId("play").addEventListener("click", () => setPlaying(!player.playing));
  byId("scrub").max = duration || 1;
  byId("scrub").addEventListener("input", event => seek(+event.target.value));
  byId("speed").addEventListener("change", event => { player.speed = +event.target.value; });
  byId("follow").addEventListener("click", () => setFollow(!player.follow));
  byId("reset").addEventListener("click", () => camera.reset());
  for (const name of Object.keys(player.shows)) connectMark(name);
  byId("shapes").hidden = !hasBoth;
  byId("shapes").addEventListener("click", () => {
    player.collision = !player.collision;
    byId("shapes").setAttribute("aria-pressed", String(player.collision));
    changed();
  });
  byId("theme").addEventListener("click", () => setTheme(theme() === "dark" ? "light" : "dark"));
  byId("copy").addEventListener("click", () => navigator.clipboard && navigator.clipboard.writeText(run.command));
  darkWanted.addEventListener("change", () => setTheme(darkWanted.matches ? "dark" : "light"));
  new ResizeObserver(() => { measureView(); fitCanvas(); }).observe(byId("view"));
  new ResizeObserver(() => plots.forEach(plot => plot.redraw())).observe(byId("plots"));
  document.addEventListener("keydown", onKey);
}

/* A button that shows or hides marks. */
function connectMark(name) {
  const button = byId(`show-${name}`);
  button.setAttribute("aria-pressed", String(player.shows[name]));
  button.hidden = (name === "gradient" && !gradient) || (name === "ghosts" && ghosts.length === 0) || (name === "targets" && !(plan && plan.targets.length > 0)) || (["forces", "cones"].includes(name) && !motions.some(m => m.count.some(n => n > 0)));
  button.addEventListener("click", () => {
    player.shows[name] = !player.shows[name];
    button.setAttribute("aria-pressed", String(player.shows[name]));
    showKey();
    changed();
  });
}

/* Frame by frame, forward or back. */
function seekFrame(step) {
  const frame = Math.max(0, Math.min(motion.frames - 1, contactFrame(player.time) + step));
  setPlaying(false);
  seek(motion.time[frame] - motion.time[0]);
}

/* --- the derivative --- */
function showMotion(i) {
  motion = motions[i];
  byId("value").value = i;
  byId("value").style.setProperty("--done", `${100 * i / Math.max(1, motions.length - 1)}%`);
  showGradientText(i);
  plots.forEach(plot => plot.rebind());
  showKey();
  changed();
}

function showGradientText(i) {
  const unitText = gradient.unit ? ` ${gradient.unit}` : "", digits = x => short(+x.toPrecision(3));
  const change = gradient.values[i] - gradient.values[gradient.own], at = lastPlace(motions[i]), start = lastPlace(motions[gradient.own]);
  const moved = length(sub(at, start)), told = Math.abs(change) * length(gradient.derivative), missed = length(sub(sub(at, start), scale(gradient.derivative, change)));
  byId("value-now").textContent = `${digits(gradient.values[i])}${unitText}`;
  byId("value-text").textContent = i === gradient.own
    ? `The derivative: (${gradient.derivative.map(digits).join(", ")}) m for each ${gradient.unit || "unit"}. Choose another value to see where the robot goes.`
    : `The last place moves by ${digits(100 * moved)} cm. The derivative tells ${digits(100 * told)} cm, and its arrow is ${digits(100 * missed)} cm off.`;
}

function connectGradient() {
  byId("gradient").hidden = !gradient;
  if (!gradient) return;
  byId("value-name").textContent = gradient.name;
  byId("value-body").textContent = model.bodies[gradient.body].name;
  byId("value").max = motions.length - 1;
  byId("value").addEventListener("input", event => showMotion(+event.target.value));
  byId("value-ticks").replaceChildren(...gradient.values.map((value, i) => {
    const button = element("button", { type: "button" }, short(+value.toPrecision(3)));
    button.addEventListener("click", () => showMotion(i));
    return button;
  }));
  showMotion(gradient.own);
}

function onKey(event) {
  if (["SELECT", "INPUT"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    " ": () => setPlaying(!player.playing), ArrowLeft: () => seekFrame(-1), ArrowRight: () => seekFrame(1),
    Home: () => seek(0), End: () => seek(duration), r: () => camera.reset(), f: () => setFollow(!player.follow),
    c: () => hasBoth && byId("shapes").click(),
  };
  Object.keys(player.shows).forEach((name, i) => { actions[String(i + 1)] = () => byId(`show-${name}`).click(); });
  const action = actions[event.key];
  if (!action || (event.key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  action();
}

function addPlots() {
  const parent = byId("plots"), on = { seek: time => { setPlaying(false); seek(time); }, hover: time => plots.forEach(plot => plot.hover(time)) };
  const plot = (title, unitText, pick) => { if (pick(motion).length > 0) plots.push(new Plot(parent, title, unitText, pick, on)); };
  const touches = motions.some(m => m.count.some(n => n > 0) || m.penetration.some(depth => depth > 0));
  if (touches) {
    plot("Contacts", "number of points with force", m => [{ name: "contacts", unit: "", steps: true, least: 1, values: m.count }]);
    if (plan) plot("Contact force", "N, sum of all contacts", m => [{ name: "force", unit: "N", least: .01, values: m.force() }]);
    plot("Penetration", "mm, deepest", m => [{ name: "penetration", unit: "mm", least: .01, values: m.penetration }]);
  }
  plot("Energy", "J", m => [{ name: "kinetic", values: m.kinetic }, { name: "potential", values: m.potential }, { name: "total", values: m.total }]);
  plot("Angles", "°", m => m.angles);
  plot("Positions", "m", m => m.lengths);
  plot("Angular velocities", "°/s", m => m.rates);
  plot("Velocities", "m/s", m => m.speeds);
  const units = [...new Set(motion.controls.map(control => control.unit).filter(word => word))];
  plot("Controls", units.join(", "), m => m.controls);
  addPlanCharts();
}

document.documentElement.dataset.theme = darkWanted.matches ? "dark" : "light";
showFacts();
showTables();
addPlots();
connect();
connectGradient();
connectPlan();
showKey();
measureView();
fitCanvas();
if (wanders) setFollow(true);
const wanted = new URLSearchParams(location.hash.slice(1)); // #t=1.5 shows that moment, #theme=dark that scheme
if (wanted.has("theme")) setTheme(wanted.get("theme") === "dark" ? "dark" : "light");
seek(wanted.has("t") ? +wanted.get("t") || 0 : 0);
setPlaying(!wanted.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
setTimeout(() => byId("hint").classList.add("gone"), 1000 * HINT_SECONDS);
requestAnimationFrame(now => { player.last = now; tick(now); });
