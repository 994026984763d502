/* The data the page carries: what the simulation was, the model, and its motion. */

const run = JSON.parse(document.getElementById("data").textContent);
const model = run.model;

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
const floatsOf = base64 => new Float32Array(bytesOf(base64));
const indicesOf = base64 => new Uint32Array(bytesOf(base64));

/* frames x columns numbers -> one array per column. */
function columnsOf(series) {
  const values = floatsOf(series.values), n = series.names.length, frames = run.motion.frames;
  return series.names.map((name, j) => {
    const column = new Float32Array(frames);
    for (let i = 0; i < frames; i++) column[i] = values[i * n + j];
    return { name, values: column };
  });
}

const motion = {
  frames: run.motion.frames,
  time: floatsOf(run.motion.time),
  kinetic: floatsOf(run.motion.kinetic),
  potential: floatsOf(run.motion.potential),
  pose: floatsOf(run.motion.pose), // frames x bodies x (position, quaternion)
  qpos: columnsOf(run.motion.qpos),
  qvel: columnsOf(run.motion.qvel),
  ctrl: columnsOf(run.motion.ctrl),
};
motion.total = motion.kinetic.map((value, i) => value + motion.potential[i]);
const duration = motion.time[motion.frames - 1];
const nbody = model.bodies.length;

/* Time -> frame at or before it, and the share of the way to the next one. */
function frameAt(time) {
  let low = 0, high = motion.frames - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (motion.time[middle] <= time) low = middle; else high = middle;
  }
  if (high === low) return { frame: 0, share: 0 };
  const share = (time - motion.time[low]) / (motion.time[high] - motion.time[low]);
  return { frame: low, share: Math.min(1, Math.max(0, share)) };
}
