// Signed distances by MuJoCo 3.x (@mujoco/mujoco, WebAssembly) of models that have two geoms.
//   node mujoco_distance.mjs PACKAGE_FOLDER     standard input: a JSON list of MJCF texts; output: a JSON list of numbers
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const FURTHEST = 10; // m

const { default: load } = await import(pathToFileURL(`${process.argv[2]}/mujoco.js`).href);
const mujoco = await load({ print: () => {}, printErr: () => {} });
const distances = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const model = mujoco.MjModel.from_xml_string(text);
  const data = new mujoco.MjData(model);
  mujoco.mj_forward(model, data);
  const distance = mujoco.mj_geomDistance(model, data, 0, 1, FURTHEST, null);
  data.delete();
  model.delete();
  return distance;
});
console.log(JSON.stringify(distances));
