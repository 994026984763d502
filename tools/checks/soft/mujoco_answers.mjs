// What MuJoCo 3.x (@mujoco/mujoco, WebAssembly) says of states: accelerations, forces of constraints, contacts, next state.
//   node mujoco_answers.mjs PACKAGE_FOLDER ROOT MODEL STATES ANSWERS [COMPILER]
// ROOT: a folder with all files of the model; MODEL: its path in there. STATES is what `tactus compare --states` writes,
// ANSWERS what `tactus compare --answers` reads. A number `steps` in STATES asks for the motion as well. COMPILER: attributes of a <compiler> element for a URDF file, as JSON.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TOLERANCE = 1e-14;
const ITERATIONS = 1000;
const INTEGRATORS = { euler: "mjINT_EULER", rk4: "mjINT_RK4", implicit: "mjINT_IMPLICIT", implicitfast: "mjINT_IMPLICITFAST" };
const WHITE = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==", "base64");
const [PACKAGE, ROOT, MODEL, STATES, ANSWERS, COMPILER] = process.argv.slice(2);
const { default: load } = await import(pathToFileURL(`${PACKAGE}/mujoco.js`).href);
const mujoco = await load({ print: () => {}, printErr: (text) => process.stderr.write(`${text}\n`) });

function copyFolder(from, to) {
  mujoco.FS.mkdir(to);
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (statSync(path).isDirectory()) copyFolder(path, `${to}/${name}`);
    else mujoco.FS.writeFile(`${to}/${name}`, readFileSync(path));
  }
}

// A URDF file takes its compiler settings from an extension inside it.
function addCompiler(path, attributes) {
  const words = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  const text = mujoco.FS.readFile(path, { encoding: "utf8" });
  mujoco.FS.writeFile(path, text.replace(/<robot\b[^>]*>/, (head) => `${head}<mujoco><compiler${words.join("")}/></mujoco>`));
}

// package://NAME/PATH -> the file of the model's folder that has the longest end of PATH.
function findPackages(path) {
  const text = mujoco.FS.readFile(path, { encoding: "utf8" });
  const found = text.replace(/package:\/\/([^"']+)/g, (whole, name) => {
    for (let words = name.split("/"); words.length > 0; words = words.slice(1))
      if (mujoco.FS.analyzePath(`/model/${words.join("/")}`).exists) return `/model/${words.join("/")}`;
    return whole;
  });
  mujoco.FS.writeFile(path, found);
}

// Pictures are for looks, and the shared robots come without them: each that is missing is given a white point.
function loadModel(path) {
  for (let left = 100; ; left--) {
    try {
      return mujoco.MjModel.from_xml_path(path);
    } catch (error) {
      const missing = /Error opening file '([^']+\.png)'/.exec(String(error));
      if (!missing || left === 0) throw error;
      makeFolders(missing[1]);
      mujoco.FS.writeFile(missing[1], WHITE);
    }
  }
}

function makeFolders(path) {
  const words = path.split("/").slice(1, -1);
  words.reduce((folder, word) => {
    const next = `${folder}/${word}`;
    if (!mujoco.FS.analyzePath(next).exists) mujoco.FS.mkdir(next);
    return next;
  }, "");
}

function contactOf(model, data, id) {
  const c = data.contact.get(id);
  const force = new mujoco.DoubleBuffer(6);
  mujoco.mj_contactForce(model, data, id, force);
  const answer = {
    geom: [...c.geom], dist: c.dist, include: c.includemargin, pos: [...c.pos], frame: [...c.frame], dim: c.dim,
    friction: [...c.friction], solref: [...c.solref], solreffriction: [...c.solreffriction], solimp: [...c.solimp],
    force: [...force.GetView()],
  }; // prettier-ignore
  force.delete();
  return c.exclude === 0 ? answer : null;
}

function put(model, data, state) {
  mujoco.mj_resetData(model, data);
  for (const key of ["qpos", "qvel", "act", "ctrl"]) if (state[key].length > 0) data[key].set(state[key]);
}

// States after each of some steps.
function motionFrom(model, data, state, steps) {
  put(model, data, state);
  return Array.from({ length: steps }, () => {
    mujoco.mj_step(model, data);
    return { qpos: [...data.qpos], qvel: [...data.qvel] };
  });
}

function answerTo(model, data, state, steps) {
  put(model, data, state);
  mujoco.mj_forward(model, data);
  const contacts = Array.from({ length: data.ncon }, (_, id) => contactOf(model, data, id)).filter((c) => c);
  const answer = { ...state, qacc: [...data.qacc], qfrc: [...data.qfrc_constraint], contacts };
  put(model, data, state);
  mujoco.mj_step(model, data);
  answer.next = [...data.qpos, ...data.qvel, ...data.act];
  if (steps) answer.motion = motionFrom(model, data, state, steps);
  return answer;
}

const asked = JSON.parse(readFileSync(STATES, "utf8"));
copyFolder(ROOT, "/model");
if (COMPILER) findPackages(`/model/${MODEL}`), addCompiler(`/model/${MODEL}`, JSON.parse(COMPILER));
const model = loadModel(`/model/${MODEL}`);
const option = model.opt;
option.timestep = asked.dt;
option.cone = asked.cone === "elliptic" ? mujoco.mjtCone.mjCONE_ELLIPTIC.value : mujoco.mjtCone.mjCONE_PYRAMIDAL.value;
const integrator = INTEGRATORS[asked.integrator];
if (!integrator) throw new Error(`MuJoCo has no integrator "${asked.integrator}"`);
option.integrator = mujoco.mjtIntegrator[integrator].value;
option.solver = mujoco.mjtSolver.mjSOL_NEWTON.value;
option.tolerance = TOLERANCE;
option.iterations = ITERATIONS;
option.ls_iterations = ITERATIONS;
option.noslip_iterations = 0;
const data = new mujoco.MjData(model);
const answers = asked.states.map((state) => answerTo(model, data, state, asked.steps));
writeFileSync(ANSWERS, JSON.stringify({ version: mujoco.mj_versionString(), integrator: asked.integrator, ngeom: model.ngeom, nbody: model.nbody, answers }));
