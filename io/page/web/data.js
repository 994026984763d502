/* The data the page carries: what the simulation was, the model, and its motions. */

const run = JSON.parse(document.getElementById("data").textContent);
const model = run.model;
const nbody = model.bodies.length;

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
const floatsOf = base64 => new Float32Array(bytesOf(base64));
const indicesOf = base64 => new Uint32Array(bytesOf(base64));

/* --- contacts: those of the step that starts at each frame --- */
const CONTACT_REALS = 11, CONTACT_INTS = 3; // place, normal, force, friction, distance; geom pushed, geom that pushes, state

function contactsOf(data) {
  const count = indicesOf(data.count), real = floatsOf(data.values), whole = indicesOf(data.kinds), first = new Uint32Array(count.length);
  for (let i = 1; i < count.length; i++) first[i] = first[i - 1] + count[i - 1];
  const one = i => {
    const r = real.subarray(CONTACT_REALS * i, CONTACT_REALS * (i + 1)), w = whole.subarray(CONTACT_INTS * i, CONTACT_INTS * (i + 1));
    return { place: [r[0], r[1], r[2]], normal: [r[3], r[4], r[5]], force: [r[6], r[7], r[8]], friction: r[9], distance: r[10],
      geom: w[0], other: w[1], slides: w[2] === 2 };
  };
  return { count, at: frame => Array.from({ length: count[frame] }, (_, k) => one(first[frame] + k)) };
}

/* --- coordinates as people read them: rotations as angles, each with its unit --- */
const DEGREES = 180 / Math.PI;

/* Column j of frames x n numbers, times a factor. */
function column(values, n, frames, j, factor = 1) {
  const out = new Float32Array(frames);
  for (let i = 0; i < frames; i++) out[i] = factor * values[i * n + j];
  return out;
}

/* Roll, pitch, yaw (about x, y, z of the world, in this order) in degrees of the quaternion at column j, without jumps. */
function anglesOf(values, n, frames, j) {
  const out = [0, 1, 2].map(() => new Float32Array(frames));
  for (let i = 0; i < frames; i++) {
    const [w, x, y, z] = values.subarray(i * n + j, i * n + j + 4);
    const turn = [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
      Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
    turn.forEach((angle, k) => {
      const degrees = DEGREES * angle, before = i > 0 ? out[k][i - 1] : degrees;
      out[k][i] = degrees + 360 * Math.round((before - degrees) / 360);
    });
  }
  return out;
}

function coordinatesOf(data, frames) {
  const q = floatsOf(data.qpos), v = floatsOf(data.qvel), lengths = [], angles = [], speeds = [], rates = [];
  const named = (joint, list, suffix) => (part, k) => list.push({ name: model.joints.length > 1 ? `${joint.name} ${suffix[k]}` : suffix[k], values: part });
  for (const joint of model.joints) {
    const free = joint.type === "free", ball = joint.type === "ball";
    const at = (values, n, j, factor) => column(values, n, frames, j, factor);
    if (free) {
      [0, 1, 2].map(k => at(q, model.nq, joint.qpos + k)).forEach(named(joint, lengths, "xyz"));
      [0, 1, 2].map(k => at(v, model.nv, joint.dof + k)).forEach(named(joint, speeds, "xyz"));
    }
    if (free || ball) {
      anglesOf(q, model.nq, frames, joint.qpos + (free ? 3 : 0)).forEach(named(joint, angles, ["roll", "pitch", "yaw"]));
      [0, 1, 2].map(k => at(v, model.nv, joint.dof + (free ? 3 : 0) + k, DEGREES)).forEach(named(joint, rates, "xyz"));
    } else {
      const slides = joint.type === "slide", factor = slides ? 1 : DEGREES;
      (slides ? lengths : angles).push({ name: joint.name, values: at(q, model.nq, joint.qpos, factor) });
      (slides ? speeds : rates).push({ name: joint.name, values: at(v, model.nv, joint.dof, factor) });
    }
  }
  return { lengths, angles, speeds, rates };
}

function controlsOf(data, frames) {
  const values = floatsOf(data.ctrl);
  if (values.length === 0) return [];
  return model.actuators.map((actuator, j) => {
    const turns = actuator.unit === "rad";
    const factor = turns ? DEGREES : 1, bounds = plan ? [plan.low[j], plan.high[j]].filter(x => typeof x === "number").map(x => factor * x) : [];
    return { name: actuator.name, unit: turns ? "°" : actuator.unit.replace(" ", " "), values: column(values, model.nu, frames, j, factor), bounds };
  });
}

function motionOf(data) {
  const frames = data.frames, kinetic = floatsOf(data.kinetic), potential = floatsOf(data.potential), contacts = contactsOf(data.contacts);
  return {
    frames, kinetic, potential, contacts,
    time: floatsOf(data.time),
    pose: floatsOf(data.pose), // frames x bodies x (position, quaternion)
    total: kinetic.map((value, i) => value + potential[i]),
    penetration: floatsOf(data.penetration).map(depth => 1000 * depth), // mm
    count: Float32Array.from(contacts.count),
    ...coordinatesOf(data, frames),
    controls: controlsOf(data, frames),
    force: () => Float32Array.from({ length: frames }, (_, i) => contacts.at(i).reduce((sum, contact) => sum + Math.hypot(...contact.force), 0)),
  };
}

/* All motions there are, along the parameter or of iterations of a plan; the one that is shown. */
const gradient = run.gradient || null, plan = run.plan || null;
const motions = (gradient || plan) ? (gradient || plan).motions.map(motionOf) : [motionOf(run.motion)];
let motion = motions[gradient ? gradient.own : motions.length - 1];
const duration = motion.time[motion.frames - 1] - motion.time[0];

/* Time since the start -> frame at or before it, and the share of the way to the next one. */
function frameAt(time) {
  let low = 0, high = motion.frames - 1;
  const wanted = time + motion.time[0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (motion.time[middle] <= wanted) low = middle; else high = middle;
  }
  if (high === low) return { frame: 0, share: 0 };
  const share = (wanted - motion.time[low]) / (motion.time[high] - motion.time[low]);
  return { frame: low, share: Math.min(1, Math.max(0, share)) };
}
