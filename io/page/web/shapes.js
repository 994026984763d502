/* Geoms as triangles: vertex = position(3) normal(3) ..., index = triangles, counter-clockwise from outside. Edges of
 * boxes and cylinders are rounded a little, so that they catch the light. */

const BEVEL = 0.06;      // of the smallest half-size
const CREASE = 0.72;     // cosine: faces that meet at less than this keep a sharp edge

/* Turns a profile of [radius, z, normal's radius, normal's z], from the lower pole up, about the z axis. */
function revolve(profile, segments) {
  const vertex = [], index = [], ring = segments + 1;
  for (const [r, z, nr, nz] of profile)
    for (let j = 0; j <= segments; j++) {
      const a = 2 * Math.PI * j / segments, c = Math.cos(a), s = Math.sin(a);
      vertex.push(r * c, r * s, z, nr * c, nr * s, nz);
    }
  for (let i = 0; i + 1 < profile.length; i++)
    for (let j = 0; j < segments; j++) {
      const a = i * ring + j, b = a + 1, c = a + ring, d = c + 1;
      index.push(a, b, d, a, d, c);
    }
  return { vertex: new Float32Array(vertex), index: new Uint32Array(index) };
}

/* Points of a circle arc of radius r about (r0, z0), from angle a to b (0 is outward, pi/2 is up). */
function arc(r0, z0, r, a, b, n) {
  const points = [];
  for (let i = 0; i <= n; i++) {
    const t = a + (b - a) * i / n, c = Math.cos(t), s = Math.sin(t);
    points.push([Math.max(0, r0 + r * c), z0 + r * s, c, s]);
  }
  return points;
}

function capsule(r, h, n) {
  const q = Math.PI / 2, m = n / 4;
  return revolve([...arc(0, -h, r, -q, 0, m), ...arc(0, h, r, 0, q, m)], n);
}

function cylinder(r, h, n) {
  const q = Math.PI / 2, b = BEVEL * Math.min(r, h);
  return revolve([[0, -h, 0, -1], ...arc(r - b, b - h, b, -q, 0, 3), ...arc(r - b, h - b, b, 0, q, 3), [0, h, 0, 1]], n);
}

function cone(r, h, n) {
  const s = Math.hypot(r, 2 * h);
  return revolve([[0, -h, 0, -1], [r, -h, 0, -1], [r, -h, 2 * h / s, r / s], [0, h, 2 * h / s, r / s]], n);
}

function ellipsoid(x, y, z, n) {
  const ball = capsule(1, 0, n), v = ball.vertex;
  for (let i = 0; i < v.length; i += 6) {
    const normal = unit([v[i + 3] / x, v[i + 4] / y, v[i + 5] / z]);
    v[i] *= x; v[i + 1] *= y; v[i + 2] *= z;
    v.set(normal, i + 3);
  }
  return ball;
}

/* A box whose edges are rounded: points of a grid on the box are pulled onto a sphere about the nearest inner point. */
function box(size) {
  const b = BEVEL * Math.min(...size), vertex = [], index = [];
  const stops = half => [-half, -half + .3 * b, -half + b, half - b, half - .3 * b, half];
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-1, 1]) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3, base = vertex.length / 6;
      for (const pv of stops(size[v]))
        for (const pu of stops(size[u])) {
          const p = [0, 0, 0];
          p[axis] = side * size[axis]; p[u] = pu; p[v] = pv;
          const inner = p.map((x, k) => Math.max(b - size[k], Math.min(size[k] - b, x)));
          const n = unit(sub(p, inner));
          vertex.push(...add(inner, scale(n, b)), ...n);
        }
      for (let i = 0; i < 5; i++)
        for (let j = 0; j < 5; j++) {
          const a = base + 6 * i + j, c = a + 6;
          if (side > 0) index.push(a, a + 1, c + 1, a, c + 1, c); else index.push(a, c + 1, a + 1, a, c, c + 1);
        }
    }
  return { vertex: new Float32Array(vertex), index: new Uint32Array(index) };
}

/* A mesh from the model, with normals that are smooth where faces meet gently. */
function meshShape(mesh) {
  const vert = floatsOf(mesh.vert), face = indicesOf(mesh.face), nface = face.length / 3;
  const point = i => [vert[3 * i], vert[3 * i + 1], vert[3 * i + 2]];
  const weighted = [], direction = [], around = Array.from({ length: vert.length / 3 }, () => []);
  for (let f = 0; f < nface; f++) {
    const a = point(face[3 * f]), n = cross(sub(point(face[3 * f + 1]), a), sub(point(face[3 * f + 2]), a));
    weighted.push(n); // length: twice the area
    direction.push(unit(n));
    for (let k = 0; k < 3; k++) around[face[3 * f + k]].push(f);
  }
  const vertex = new Float32Array(18 * nface), index = new Uint32Array(3 * nface);
  for (let f = 0; f < nface; f++)
    for (let k = 0; k < 3; k++) {
      const corner = 3 * f + k, i = face[corner];
      let n = [0, 0, 0];
      for (const g of around[i]) if (dot(direction[f], direction[g]) > CREASE) n = add(n, weighted[g]);
      vertex.set(point(i), 6 * corner);
      vertex.set(unit(n), 6 * corner + 3);
      index[corner] = corner;
    }
  return { vertex, index };
}

/* Shape of a geom; a null pointer when there is nothing to draw. n: segments around. */
function shapeOf(geom, n) {
  const [a, b, c] = geom.size;
  switch (geom.type) {
    case "sphere": return capsule(a, 0, n);
    case "capsule": return capsule(a, b, n);
    case "cylinder": return cylinder(a, b, n);
    case "cone": return cone(a, b, n);
    case "ellipsoid": return ellipsoid(a, b, c, n);
    case "box": return box(geom.size);
    case "mesh": return geom.mesh >= 0 ? meshShape(model.meshes[geom.mesh]) : null;
    default: return null;
  }
}

/* --- marks: unit shapes along +z, and where they go --- */
function markShapes(n) {
  return {
    shaft: revolve([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]], n),
    tip: revolve([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, .93, .37], [0, 1, .93, .37]], n),
    cone: revolve([[0, 0, .71, -.71], [1, 1, .71, -.71]], 2 * n),
    ball: capsule(1, 0, n),
  };
}

/* z axis to (to - from), with that length; x and y scaled by the radius. */
function placeAlong(from, to, radius) {
  const z = sub(to, from), w = unit(z), x = scale(unit(cross(Math.abs(w[2]) < .9 ? [0, 0, 1] : [1, 0, 0], w)), radius), y = cross(w, x);
  return new Float32Array([...x, 0, ...y, 0, ...z, 0, ...from, 1]);
}

const HEAD = 2.6; // radius of an arrow's head, in radii of its shaft
/* A mark as unit shapes: [{ part, world }]. */
function partsOf(mark) {
  if (mark.kind === "ball") return [{ part: "ball", world: new Float32Array([mark.radius, 0, 0, 0, 0, mark.radius, 0, 0, 0, 0, mark.radius, 0, ...mark.at, 1]) }];
  if (mark.kind !== "arrow") return [{ part: mark.kind === "cone" ? "cone" : "shaft", world: placeAlong(mark.from, mark.to, mark.radius) }];
  const long = length(sub(mark.to, mark.from)), head = Math.min(7 * mark.radius, .45 * long), neck = sub(mark.to, scale(unit(sub(mark.to, mark.from)), head));
  const thin = Math.min(mark.radius, long / 8);
  return [{ part: "shaft", world: placeAlong(mark.from, neck, thin) }, { part: "tip", world: placeAlong(neck, mark.to, HEAD * thin) }];
}
