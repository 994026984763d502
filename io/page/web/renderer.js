/* Draws with WebGL 2: a sun with soft shadows, a sky that lights from above, a floor with a grid that fades out. */

const SHADOW_SIZE = 2048;
const SHADOW_LIFT = .012;           // of the radius: how far off a surface its shadow is looked up
const SUN = unit([.45, -.55, 1.1]); // towards the light

const LOOKS = {
  light: { top: [.93, .945, .965], bottom: [.985, .988, .992], floor: [.90, .912, .93], line: [.60, .64, .70], sky: [.92, .95, 1.0],
    ground: [.60, .59, .58], sun: [.93, .90, .86], ambient: .56, shadow: .34 },
  dark: { top: [.045, .055, .07], bottom: [.085, .10, .125], floor: [.085, .10, .12], line: [.33, .38, .46], sky: [.50, .58, .72],
    ground: [.16, .17, .20], sun: [1.0, .96, .90], ambient: .50, shadow: .62 },
};

const SHADOW_CODE = `
uniform highp sampler2DShadow shadowMap;
uniform mat4 shadowView;
uniform int samples; // at most 16
float lit(vec3 world, float slope) {
  vec3 p = (shadowView * vec4(world, 1.)).xyz * .5 + .5;
  if (p.z > 1. || any(lessThan(p.xy, vec2(0.))) || any(greaterThan(p.xy, vec2(1.)))) return 1.;
  float angle = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) * 6.2832, sum = 0.;
  for (int i = 0; i < 16; i++) {
    if (i >= samples) break;
    float r = sqrt((float(i) + .5) / float(samples)) * 4.2 / float(textureSize(shadowMap, 0).x), a = angle + float(i) * 2.399963;
    sum += texture(shadowMap, vec3(p.xy + r * vec2(cos(a), sin(a)), p.z - slope));
  }
  return sum / float(samples);
}`;

/* Where a vertex goes. Places (4 texels) and colours (1) of many are in a texture, a row each: items are one mesh whose
 * vertices have their row (batched 1), marks are copies of one mesh from row `first` on (batched 2). */
const ITEM_CODE = `
uniform mat4 view, place;
uniform vec3 colour;
uniform int batched, first;
uniform highp sampler2D items;
int rowOf() { return batched == 1 ? int(number) : first + gl_InstanceID; }
mat4 placeOf() {
  if (batched == 0) return place;
  int row = rowOf();
  return mat4(texelFetch(items, ivec2(0, row), 0), texelFetch(items, ivec2(1, row), 0), texelFetch(items, ivec2(2, row), 0), texelFetch(items, ivec2(3, row), 0));
}`;
const TEXELS = 5;
const LINE_PARTS = ["shaft", "tip", "ball"];

/* Is drawing done by the processor? Then edges are smoothed by more pixels in still pictures, not in every frame. */
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  if (gl && gl.getExtension("WEBGL_lose_context")) gl.getExtension("WEBGL_lose_context").loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

const CODE = {
  solidVertex: `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float number;
${ITEM_CODE}
out vec3 world, out_normal, base_colour;
void main() {
  mat4 m = placeOf();
  world = (m * vec4(position, 1.)).xyz;
  out_normal = mat3(m) * normal;
  base_colour = batched != 0 ? texelFetch(items, ivec2(4, rowOf()), 0).xyz : colour;
  gl_Position = view * vec4(world, 1.);
}`,
  solidPixel: `#version 300 es
precision highp float;
in vec3 world, out_normal, base_colour;
out vec4 pixel;
uniform vec3 eye, sunDirection, sunColour, skyColour, groundColour;
uniform float ambient, alpha, lift;
${SHADOW_CODE}
void main() {
  vec3 n = normalize(out_normal), v = normalize(eye - world), h = normalize(v + sunDirection);
  if (dot(n, v) < 0.) n = -n;
  vec3 base = pow(base_colour, vec3(2.2));
  float facing = max(dot(n, sunDirection), 0.), light = lit(world + n * lift, .0009) * facing;
  vec3 around = mix(groundColour, skyColour, n.z * .5 + .5) * ambient;
  float fresnel = pow(1. - max(dot(n, v), 0.), 4.);
  float gloss = pow(max(dot(n, h), 0.), 60.) * .35 * light;
  vec3 fill = vec3(.10, .12, .15) * max(dot(n, normalize(vec3(-sunDirection.xy, .3))), 0.);
  vec3 c = base * (around + sunColour * light * .95 + fill) + gloss * sunColour + fresnel * .10 * skyColour;
  c = c * (1. + c * .18) / (1. + c * .42);
  pixel = vec4(pow(c, vec3(1. / 2.2)) * alpha, alpha);
}`,
  depthVertex: `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 2) in float number;
${ITEM_CODE}
void main() { gl_Position = view * (placeOf() * vec4(position, 1.)); }`,
  depthPixel: `#version 300 es
void main() {}`,
  floorVertex: `#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 view, place;
uniform float reach;
uniform vec2 middle;
out vec2 local;
out vec3 world;
void main() {
  local = corner * reach + middle;
  world = (place * vec4(local, 0., 1.)).xyz;
  gl_Position = view * vec4(world, 1.);
}`,
  floorPixel: `#version 300 es
precision highp float;
in vec2 local;
in vec3 world;
out vec4 pixel;
uniform vec3 floorColour, lineColour, centre;
uniform float cell, fade, solid, shadowShare;
${SHADOW_CODE}
float grid(vec2 p, float width) {
  vec2 g = abs(fract(p - .5) - .5), d = fwidth(p);
  vec2 line = smoothstep(width * d + d * .5, max(width * d - d * .5, 0.), g);
  line *= clamp(1. - d * 2.2, 0., 1.);
  return max(line.x, line.y);
}
void main() {
  float far = length(world.xy - centre.xy) / fade, near = 1. - smoothstep(.35, 1., far);
  float lines = max(grid(local / cell, .55) * .38, grid(local / (5. * cell), .8) * .75);
  float dark = shadowShare * (1. - lit(world, .0008));
  vec3 c = mix(floorColour * (1. - dark), lineColour * (1. - .6 * dark), lines * .6);
  if (solid > 0.) pixel = vec4(c, 1.) * near;
  else pixel = mix(vec4(0., 0., 0., dark * .6), vec4(lineColour, 1.), lines * .7) * near;
}`,
  backVertex: `#version 300 es
layout(location = 0) in vec2 corner;
out float height;
void main() { height = corner.y * .5 + .5; gl_Position = vec4(corner, .9999, 1.); }`,
  backPixel: `#version 300 es
precision highp float;
in float height;
out vec4 pixel;
uniform vec3 top, bottom;
void main() {
  float dither = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) / 255.;
  pixel = vec4(mix(bottom, top, smoothstep(0., 1., height)) + dither, 1.);
}`,
};

class Renderer {
  /* Throws when WebGL 2 is not there. */
  constructor(canvas, items, floors, software) {
    Object.assign(this, { software, turn: 0 });
    const gl = canvas.getContext("webgl2", { antialias: !this.software, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no WebGL 2");
    Object.assign(this, { gl, canvas, items, floors });
    this.solid = this.program(CODE.solidVertex, CODE.solidPixel);
    this.depth = this.program(CODE.depthVertex, CODE.depthPixel);
    this.floor = this.program(CODE.floorVertex, CODE.floorPixel);
    this.back = this.program(CODE.backVertex, CODE.backPixel);
    this.square = this.buffers(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), new Uint32Array([0, 1, 2, 0, 2, 3]), [2]);
    const made = new Map();
    for (const item of items) {
      if (item.alpha >= 1) continue;
      if (!made.has(item.shape)) made.set(item.shape, this.buffers(item.shape.vertex, item.shape.index, [3, 3]));
      item.mesh = made.get(item.shape);
    }
    this.makeBatch(items.filter(item => item.alpha >= 1));
    this.marks = {};
    this.markRows = this.rowTexture();
    for (const [kind, shape] of Object.entries(markShapes(this.software ? 10 : 24))) this.marks[kind] = this.buffers(shape.vertex, shape.index, [3, 3]);
    this.makeShadowMap();
  }

  program(vertex, pixel) {
    const { gl } = this, program = gl.createProgram(), at = {};
    for (const [kind, code] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, pixel]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, code);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  /* Interleaved floats, in attributes of the given widths. */
  buffers(vertex, index, widths) {
    const { gl } = this, array = gl.createVertexArray(), stride = 4 * widths.reduce((a, b) => a + b);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, vertex, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, index, gl.STATIC_DRAW);
    widths.reduce((offset, width, i) => {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, width, gl.FLOAT, false, stride, offset);
      return offset + 4 * width;
    }, 0);
    gl.bindVertexArray(null);
    return { array, count: index.length };
  }

  /* All opaque items as one mesh, so that they are one call: their places are a texture. */
  makeBatch(items) {
    const { gl } = this, vertex = [], index = [];
    let first = 0;
    items.forEach((item, number) => {
      const { vertex: v, index: list } = item.shape, n = v.length / 6, out = new Float32Array(7 * n);
      for (let i = 0; i < n; i++) {
        out.set(v.subarray(6 * i, 6 * i + 6), 7 * i);
        out[7 * i + 6] = number;
      }
      vertex.push(out);
      index.push(Uint32Array.from(list, i => i + first));
      first += n;
    });
    const join = (kind, parts) => { const all = new kind(parts.reduce((n, part) => n + part.length, 0)); let at = 0; for (const part of parts) { all.set(part, at); at += part.length; } return all; };
    this.batch = { items, mesh: this.buffers(join(Float32Array, vertex), join(Uint32Array, index), [3, 3, 1]), data: new Float32Array(4 * TEXELS * Math.max(1, items.length)), texture: this.rowTexture() };
  }

  rowTexture() {
    const { gl } = this, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return texture;
  }

  /* Rows -> a texture that stays bound to a unit. */
  uploadRows(unit, texture, data) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, TEXELS, data.length / (4 * TEXELS), 0, gl.RGBA, gl.FLOAT, data);
    gl.activeTexture(gl.TEXTURE0);
  }

  /* The present places; what is not shown shrinks to nothing. */
  fillBatch(scene) {
    const { batch } = this, { data } = batch;
    batch.items.forEach((item, i) => {
      if (scene.shown(item)) data.set(item.world, 4 * TEXELS * i);
      else data.fill(0, 4 * TEXELS * i, 4 * TEXELS * i + 16);
      data.set(item.colour, 4 * TEXELS * i + 16);
    });
    this.uploadRows(1, batch.texture, data);
    this.gl.bindTexture(this.gl.TEXTURE_2D, this.shadowMap);
  }

  drawBatch(at) {
    const { gl } = this;
    if (this.batch.mesh.count === 0) return;
    gl.uniform1i(at.items, 1);
    gl.uniform1i(at.batched, 1);
    this.drawMesh(this.batch.mesh);
    gl.uniform1i(at.batched, 0);
  }

  makeShadowMap(size = SHADOW_SIZE) {
    const { gl } = this;
    if (size === this.shadowSize) return;
    if (this.shadowSize) {
      gl.deleteTexture(this.shadowMap);
      gl.deleteFramebuffer(this.shadowFrame);
    }
    this.shadowSize = size;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, size, size, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawMesh(mesh) {
    this.gl.bindVertexArray(mesh.array);
    this.gl.drawElements(this.gl.TRIANGLES, mesh.count, this.gl.UNSIGNED_INT, 0);
  }

  /* scene: { view, eye, centre, radius, cell, look ("light", "dark"), shown(item), marks, samples } -> number of arrows
   * of forces that were drawn */
  draw(scene) {
    const { gl } = this, look = LOOKS[scene.look];
    this.makeShadowMap(scene.samples > 4 ? SHADOW_SIZE : SHADOW_SIZE / 4);
    this.fillBatch(scene);
    /* where drawing is slowest, shadows follow two frames late */
    this.turn = scene.samples > 1 ? 0 : (this.turn + 1) % 3;
    const shadowView = this.shadowView = this.turn === 0 ? this.drawShadows(scene) : this.shadowView;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.clear(gl.DEPTH_BUFFER_BIT | gl.COLOR_BUFFER_BIT);
    this.drawBack(look);
    this.drawFloors(scene, look, shadowView);
    this.startSolids(scene, look, shadowView);
    this.drawBatch(this.solid.at);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.drawTranslucent(scene);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    return this.drawMarks(scene.marks);
  }

  /* Arrows and lines shine through what hides them, faintly; cones are translucent. Copies of one part are one call.
   * -> number of arrows of forces */
  drawMarks(marks) {
    const { gl, solid } = this, rows = this.fillMarks(marks);
    gl.uniform1i(solid.at.items, 2);
    gl.uniform1i(solid.at.batched, 2);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER);
    this.drawParts(rows, LINE_PARTS, .38);
    gl.depthFunc(gl.LEQUAL);
    this.drawParts(rows, ["cone"], rows.coneAlpha);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    this.drawParts(rows, LINE_PARTS, 1);
    gl.uniform1i(solid.at.batched, 0);
    return rows.forces;
  }

  /* Places and colours of all parts of marks, those of one kind side by side -> { kind: { first, count }, ... } */
  fillMarks(marks) {
    const parts = Object.fromEntries(Object.keys(this.marks).map(kind => [kind, []])), rows = { forces: 0, coneAlpha: 1 };
    for (const mark of marks) {
      for (const { part, world } of partsOf(mark)) parts[part].push({ world, colour: mark.colour });
      if (mark.kind === "cone") rows.coneAlpha = mark.alpha;
      if (mark.isForce) rows.forces++;
    }
    const all = Object.values(parts).flat(), data = new Float32Array(4 * TEXELS * Math.max(1, all.length));
    all.forEach(({ world, colour }, i) => { data.set(world, 4 * TEXELS * i); data.set(colour, 4 * TEXELS * i + 16); });
    let first = 0;
    for (const [kind, list] of Object.entries(parts)) { rows[kind] = { first, count: list.length }; first += list.length; }
    this.uploadRows(2, this.markRows, data);
    return rows;
  }

  drawParts(rows, kinds, alpha) {
    const { gl, solid } = this;
    gl.uniform1f(solid.at.alpha, alpha);
    for (const kind of kinds) {
      const { first, count } = rows[kind], mesh = this.marks[kind];
      if (count === 0) continue;
      gl.uniform1i(solid.at.first, first);
      gl.bindVertexArray(mesh.array);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, count);
    }
  }

  drawShadows(scene) {
    const { gl } = this, reach = scene.radius * 2.4, target = scene.centre;
    const view = multiply(orthographic(reach, 0, 6 * reach), lookAt(add(target, scale(SUN, 3 * reach)), target));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, this.shadowSize, this.shadowSize);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.program);
    gl.uniformMatrix4fv(this.depth.at.view, false, view);
    this.drawBatch(this.depth.at);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return view;
  }

  drawBack(look) {
    const { gl, back } = this;
    gl.useProgram(back.program);
    gl.uniform3fv(back.at.top, look.top);
    gl.uniform3fv(back.at.bottom, look.bottom);
    gl.depthMask(false);
    this.drawMesh(this.square);
    gl.depthMask(true);
  }

  drawFloors(scene, look, shadowView) {
    const { gl, floor } = this, fade = scene.radius * 11;
    gl.useProgram(floor.program);
    gl.uniformMatrix4fv(floor.at.view, false, scene.view);
    gl.uniformMatrix4fv(floor.at.shadowView, false, shadowView);
    gl.uniform3fv(floor.at.floorColour, look.floor);
    gl.uniform3fv(floor.at.lineColour, look.line);
    gl.uniform3fv(floor.at.centre, scene.centre);
    gl.uniform1f(floor.at.reach, fade);
    gl.uniform1f(floor.at.fade, fade);
    gl.uniform1f(floor.at.cell, scene.cell);
    gl.uniform1f(floor.at.shadowShare, look.shadow);
    gl.uniform1i(floor.at.samples, scene.samples);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const item of this.floors) {
      const w = item.world, d = sub(scene.centre, [w[12], w[13], w[14]]);
      gl.uniform2f(floor.at.middle, dot(d, [w[0], w[1], w[2]]), dot(d, [w[4], w[5], w[6]]));
      gl.uniformMatrix4fv(floor.at.place, false, w);
      gl.uniform1f(floor.at.solid, item.solid ? 1 : 0);
      this.drawMesh(this.square);
    }
    gl.disable(gl.BLEND);
  }

  startSolids(scene, look, shadowView) {
    const { gl, solid } = this;
    gl.useProgram(solid.program);
    gl.uniformMatrix4fv(solid.at.view, false, scene.view);
    gl.uniformMatrix4fv(solid.at.shadowView, false, shadowView);
    gl.uniform3fv(solid.at.eye, scene.eye);
    gl.uniform3fv(solid.at.sunDirection, SUN);
    gl.uniform3fv(solid.at.sunColour, look.sun);
    gl.uniform3fv(solid.at.skyColour, look.sky);
    gl.uniform3fv(solid.at.groundColour, look.ground);
    gl.uniform1f(solid.at.ambient, look.ambient);
    gl.uniform1f(solid.at.lift, SHADOW_LIFT * scene.radius);
    gl.uniform1i(solid.at.samples, scene.samples);
    gl.uniform1f(solid.at.alpha, 1);
    gl.uniform1i(solid.at.batched, 0);
  }

  drawTranslucent(scene) {
    const { gl, solid } = this;
    for (const item of this.items) {
      if (!scene.shown(item) || item.alpha >= 1) continue;
      gl.uniformMatrix4fv(solid.at.place, false, item.world);
      gl.uniform3fv(solid.at.colour, item.colour);
      gl.uniform1f(solid.at.alpha, item.alpha);
      this.drawMesh(item.mesh);
    }
  }
}
