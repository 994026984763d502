/* What is drawn: one item per geom, in the frame of its body; the floor; and how large it all is. */

const MUJOCO_GREY = 0.5; // the colour of a geom that was given none
const HIDDEN_GROUP = 3;  // MJCF habit: groups from 3 on are for collisions, not for looks
const PALETTE = [[.90, .91, .93], [.25, .47, .80], [.93, .94, .95], [.98, .62, .25], [.36, .41, .48], [.24, .62, .60]];

const isDefaultColour = c => c[0] === MUJOCO_GREY && c[1] === MUJOCO_GREY && c[2] === MUJOCO_GREY;

/* A colour for a geom without one: by body, so that links can be told apart. */
function colourOf(geom) {
  if (!isDefaultColour(geom.rgba)) return geom.rgba.slice(0, 3);
  return geom.body === 0 ? [.62, .65, .70] : PALETTE[geom.body % PALETTE.length];
}

function makeItems(segments) {
  const meshes = new Map(), items = [];
  model.geoms.forEach((geom, id) => {
    if (geom.type === "plane" || geom.rgba[3] === 0) return;
    const key = geom.type === "mesh" ? `mesh ${geom.mesh}` : `${geom.type} ${geom.size}`;
    if (!meshes.has(key)) meshes.set(key, shapeOf(geom, segments));
    const shape = meshes.get(key);
    if (!shape || shape.index.length === 0) return;
    items.push({
      id, shape, body: geom.body, local: rigid(geom.pos, geom.quat), world: new Float32Array(16),
      colour: colourOf(geom), alpha: geom.rgba[3], looks: geom.group < HIDDEN_GROUP, collides: geom.collides,
    });
  });
  return items;
}

/* Poses of all bodies between two frames: positions and quaternions mixed linearly, the latter normalized. */
const bodyPose = Array.from({ length: nbody }, () => new Float32Array(16));
function poseBodies(time) {
  const { frame, share } = frameAt(time), next = Math.min(frame + 1, motion.frames - 1), pose = motion.pose;
  for (let b = 0; b < nbody; b++) {
    const i = 7 * (frame * nbody + b), j = 7 * (next * nbody + b), mix = new Array(7);
    const same = pose[i + 3] * pose[j + 3] + pose[i + 4] * pose[j + 4] + pose[i + 5] * pose[j + 5] + pose[i + 6] * pose[j + 6];
    for (let k = 0; k < 7; k++) {
      const end = k >= 3 && same < 0 ? -pose[j + k] : pose[j + k];
      mix[k] = pose[i + k] + share * (end - pose[i + k]);
    }
    const norm = Math.hypot(mix[3], mix[4], mix[5], mix[6]) || 1;
    rigid(mix.slice(0, 3), mix.slice(3).map(x => x / norm), bodyPose[b]);
  }
}
function placeItems(items) {
  for (const item of items) multiply(bodyPose[item.body], item.local, item.world);
}

/* Smallest box around the items that are drawn, at the present poses. */
function boundsOf(items) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const item of items) {
    const v = item.shape.vertex, step = 6 * Math.max(1, Math.floor(v.length / 6 / 200));
    for (let i = 0; i < v.length; i += step) {
      const p = transformPoint(item.world, [v[i], v[i + 1], v[i + 2]]);
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], p[k]);
        high[k] = Math.max(high[k], p[k]);
      }
    }
  }
  return low[0] <= high[0] ? { low, high } : { low: [-1, -1, -1], high: [1, 1, 1] };
}

/* The box that holds the whole motion, from a few moments of it; also the size of the robot itself. */
function surveyMotion(items) {
  const moving = items.filter(item => item.body > 0), shown = moving.length > 0 ? moving : items;
  const all = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
  let size = 0, travel = 0, first = null;
  for (let i = 0; i <= 12; i++) {
    poseBodies(duration * i / 12);
    placeItems(items);
    const box = boundsOf(shown), centre = scale(add(box.low, box.high), .5);
    first = first || centre;
    travel = Math.max(travel, length(sub(centre, first)));
    size = Math.max(size, length(sub(box.high, box.low)) / 2);
    for (let k = 0; k < 3; k++) {
      all.low[k] = Math.min(all.low[k], box.low[k]);
      all.high[k] = Math.max(all.high[k], box.high[k]);
    }
  }
  return { ...all, radius: size, travel };
}

/* Planes of the model, or a bare grid under the robot when it has none. */
function makeFloors(survey) {
  const planes = model.geoms.filter(geom => geom.type === "plane");
  if (planes.length > 0)
    return planes.map(geom => ({ body: geom.body, local: rigid(geom.pos, geom.quat), world: new Float32Array(16), solid: true }));
  const height = survey.low[2] >= -1e-6 ? 0 : survey.low[2] - .1 * survey.radius;
  return [{ body: 0, local: rigid([0, 0, height], [1, 0, 0, 0]), world: new Float32Array(16), solid: false }];
}

/* 1, 2 or 5 times a power of ten, near x. */
function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x)), lead = x / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}
