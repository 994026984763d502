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
  changed();
}

/* --- state of the player --- */
const player = { time: 0, playing: false, speed: 1, follow: false, collision: false, dirty: true, last: 0 };
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
  byId("playicon").setAttribute("d", player.playing ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5v14l11-7z");
  changed();
}

/* --- scene --- */
const canvas = byId("canvas");
const items = makeItems(40);
const hasLooks = items.some(item => item.looks), hasBoth = hasLooks && items.some(item => !item.looks);
const shown = item => player.collision ? item.collides || !hasBoth : item.looks || !hasLooks;
const survey = surveyMotion(items.filter(shown));
const floors = makeFloors(survey);

function makeRenderer() {
  try {
    return new Renderer(canvas, items, floors);
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
  const wanders = survey.travel > FOLLOW_FROM * survey.radius;
  poseBodies(0);
  placeItems(items);
  const box = wanders ? boundsOf(items.filter(item => shown(item) && item.body > 0)) : survey;
  const radius = Math.max(length(sub(box.high, box.low)) / 2, survey.radius, 1e-3);
  const target = scale(add(box.low, box.high), .5);
  return { wanders, radius, home: { target, distance: .82 * radius / Math.sin(LENS / 2), turn: -.95, lift: .30 } };
}

const { wanders, radius, home } = homeView();
const renderer = makeRenderer();
const camera = new Camera(renderer.canvas, home, changed);
const anchor = sub(home.target, middle()); // from the robot's middle to what the camera looks at

function setFollow(follow) {
  player.follow = follow;
  byId("follow").setAttribute("aria-pressed", String(follow));
  if (!follow) camera.target = [...home.target];
  changed();
}

/* A canvas that changes its size is blank: draw at once. */
function fitCanvas() {
  const view = byId("view").getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1);
  const width = Math.max(1, Math.round(view.width * ratio)), height = Math.max(1, Math.round(view.height * ratio));
  if (renderer.canvas.width === width && renderer.canvas.height === height) return;
  Object.assign(renderer.canvas, { width, height });
  drawScene(0);
}

function drawScene(elapsed) {
  poseBodies(player.time);
  placeItems(renderer.items);
  placeItems(floors);
  if (player.follow) {
    const wish = add(middle(), anchor), share = 1 - Math.exp(-HURRY * elapsed);
    camera.target = length(sub(wish, camera.target)) > 4 * radius ? wish : add(camera.target, scale(sub(wish, camera.target), share));
  }
  const aspect = renderer.canvas.width / renderer.canvas.height;
  renderer.draw({ ...camera.look(aspect), radius, cell: roundStep(radius / 2.5), look: theme(), shown });
}

/* --- the loop --- */
function showTime() {
  const scrub = byId("scrub");
  scrub.value = player.time;
  scrub.style.setProperty("--done", `${duration > 0 ? 100 * player.time / duration : 0}%`);
  byId("clock").innerHTML = `<b>${player.time.toFixed(2)}</b><span> / ${duration.toFixed(2)}</span> s`;
  plots.forEach(plot => plot.draw(player.time));
}

function tick(now) {
  const elapsed = Math.min(.1, (now - player.last) / 1000);
  player.last = now;
  if (player.playing) {
    player.time += elapsed * player.speed;
    if (player.time > duration) player.time = duration > 0 ? player.time % duration : 0;
    player.dirty = true;
  }
  if (player.dirty) {
    player.dirty = false;
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
  byId("shapes").hidden = !hasBoth;
  byId("shapes").addEventListener("click", () => {
    player.collision = !player.collision;
    byId("shapes").setAttribute("aria-pressed", String(player.collision));
    changed();
  });
  byId("theme").addEventListener("click", () => setTheme(theme() === "dark" ? "light" : "dark"));
  byId("copy").addEventListener("click", () => navigator.clipboard && navigator.clipboard.writeText(run.command));
  darkWanted.addEventListener("change", () => setTheme(darkWanted.matches ? "dark" : "light"));
  new ResizeObserver(fitCanvas).observe(byId("view"));
  new ResizeObserver(() => plots.forEach(plot => plot.redraw())).observe(byId("plots"));
  document.addEventListener("keydown", onKey);
}

function onKey(event) {
  if (["SELECT", "INPUT"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = duration / Math.max(1, motion.frames - 1);
  const actions = {
    " ": () => setPlaying(!player.playing), ArrowLeft: () => seek(player.time - step), ArrowRight: () => seek(player.time + step),
    Home: () => seek(0), End: () => seek(duration), r: () => camera.reset(), f: () => setFollow(!player.follow),
    c: () => hasBoth && byId("shapes").click(),
  };
  const action = actions[event.key];
  if (!action || (event.key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  action();
}

function addPlots() {
  const parent = byId("plots"), on = { seek: time => { setPlaying(false); seek(time); }, hover: time => plots.forEach(plot => plot.hover(time)) };
  const plot = (title, unitText, series) => { if (series.length > 0) plots.push(new Plot(parent, title, unitText, series, on)); };
  plot("Energy", "J", [{ name: "kinetic", values: motion.kinetic }, { name: "potential", values: motion.potential }, { name: "total", values: motion.total }]);
  plot("Angles", "°", motion.angles);
  plot("Positions", "m", motion.lengths);
  plot("Angular velocities", "°/s", motion.rates);
  plot("Velocities", "m/s", motion.speeds);
  plot("Controls", "", motion.controls);
}

document.documentElement.dataset.theme = darkWanted.matches ? "dark" : "light";
showFacts();
showTables();
addPlots();
connect();
fitCanvas();
if (wanders) setFollow(true);
const wanted = new URLSearchParams(location.hash.slice(1)); // #t=1.5 shows that moment, #theme=dark that scheme
if (wanted.has("theme")) setTheme(wanted.get("theme") === "dark" ? "dark" : "light");
seek(wanted.has("t") ? +wanted.get("t") || 0 : 0);
setPlaying(!wanted.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
setTimeout(() => byId("hint").classList.add("gone"), 1000 * HINT_SECONDS);
requestAnimationFrame(now => { player.last = now; tick(now); });
