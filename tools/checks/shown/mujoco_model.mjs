// What MuJoCo 3.x (@mujoco/mujoco, WebAssembly) makes of a model file: sizes, names, masses, and the motion's terms at states.
//   node mujoco_model.mjs PACKAGE_FOLDER ROOT MODEL STATES
// ROOT: a folder with all files of the model; MODEL: its path in there. STATES is what `tactus compare --states` writes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const SIZES = ["nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "ntendon", "neq", "npair", "nexclude"];
const KINDS = { bodies: "body", joints: "jnt", geoms: "geom", sites: "site", tendons: "tendon", actuators: "actuator" };
const [PACKAGE, ROOT, MODEL, STATES] = process.argv.slice(2);
const { default: load } = await import(pathToFileURL(`${PACKAGE}/mujoco.js`).href);
const mujoco = await load({ print: () => {}, printErr: (text) => process.stderr.write(`${text}\n`) });
mujoco.FS.mkdir("/model");
for (const name of readdirSync(ROOT)) mujoco.FS.writeFile(`/model/${name}`, readFileSync(join(ROOT, name)));
const model = mujoco.MjModel.from_xml_path(`/model/${MODEL}`);
const data = new mujoco.MjData(model);

const code = (c) => (typeof c === "string" ? c.charCodeAt(0) : c);
function nameAt(address) {
  let text = "";
  for (let i = address; code(model.names[i]) !== 0; i++) text += String.fromCharCode(code(model.names[i]));
  return text;
}

function termsAt(state) {
  mujoco.mj_resetData(model, data);
  for (const key of ["qpos", "qvel", "act", "ctrl"]) if (state[key].length > 0) data[key].set(state[key]);
  mujoco.mj_forward(model, data);
  return { pos: [...data.xpos], quat: [...data.xquat], bias: [...data.qfrc_bias], passive: [...data.qfrc_passive], actuator: [...data.qfrc_actuator] };
}

const answer = { version: mujoco.mj_versionString(), sizes: {}, names: {}, mass: [...model.body_mass] };
for (const size of SIZES) answer.sizes[size] = model[size];
for (const [kind, word] of Object.entries(KINDS)) answer.names[kind] = Array.from(model[`name_${word}adr`]).map(nameAt);
answer.terms = JSON.parse(readFileSync(STATES, "utf8")).states.map(termsAt);
process.stdout.write(JSON.stringify(answer));
