/* Where there is no WebGL 2: the same items as flat triangles on a 2-D canvas, the far ones first. */

class Painter {
  constructor(canvas, items, floors) {
    Object.assign(this, { canvas, items, floors, pen: canvas.getContext("2d") });
  }

  /* World point -> x, y on the canvas and depth; null behind the eye. */
  project(view, p) {
    const w = view[3] * p[0] + view[7] * p[1] + view[11] * p[2] + view[15];
    if (w < 1e-6) return null;
    const x = (view[0] * p[0] + view[4] * p[1] + view[8] * p[2] + view[12]) / w;
    const y = (view[1] * p[0] + view[5] * p[1] + view[9] * p[2] + view[13]) / w;
    return [(x + 1) / 2 * this.canvas.width, (1 - y) / 2 * this.canvas.height, w];
  }

  draw(scene) {
    const { pen, canvas } = this, look = LOOKS[scene.look], css = c => `rgb(${c.map(x => Math.round(255 * x)).join(" ")})`;
    const back = pen.createLinearGradient(0, 0, 0, canvas.height);
    back.addColorStop(0, css(look.top));
    back.addColorStop(1, css(look.bottom));
    pen.fillStyle = back;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    this.drawGrid(scene, css(look.line));
    const faces = this.items.filter(scene.shown).flatMap(item => this.facesOf(item, scene, look));
    faces.sort((a, b) => b.depth - a.depth);
    for (const face of faces) {
      pen.fillStyle = pen.strokeStyle = css(face.colour);
      pen.globalAlpha = face.alpha;
      pen.beginPath();
      face.points.forEach(([x, y], i) => i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y));
      pen.closePath();
      pen.fill();
      pen.stroke(); // closes the hairlines between neighbours
    }
    pen.globalAlpha = 1;
    return this.drawMarks(scene, css);
  }

  /* -> number of arrows of forces that were drawn */
  drawMarks(scene, css) {
    const { pen } = this, pixels = Math.max(1, this.canvas.height / 420);
    let forces = 0;
    for (const mark of scene.marks) {
      const a = this.project(scene.view, mark.from || mark.at), b = this.project(scene.view, mark.to || mark.at);
      forces += mark.isForce ? 1 : 0;
      if (!a || !b) continue;
      pen.strokeStyle = pen.fillStyle = css(mark.colour);
      pen.lineWidth = 2 * pixels;
      pen.globalAlpha = mark.alpha;
      pen.beginPath();
      if (mark.kind === "ball") pen.arc(a[0], a[1], 4 * pixels, 0, 7);
      if (mark.kind === "cone") this.outlineCone(mark, scene.view);
      if (mark.kind === "ball" || mark.kind === "cone") pen.fill();
      else { pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.stroke(); }
      if (mark.kind === "arrow") this.drawHead(a, b, 5 * pixels);
    }
    pen.globalAlpha = 1;
    return forces;
  }

  drawHead(a, b, size) {
    const { pen } = this, turn = Math.atan2(b[1] - a[1], b[0] - a[0]);
    pen.beginPath();
    pen.moveTo(b[0], b[1]);
    for (const side of [-1, 1]) pen.lineTo(b[0] - 2 * size * Math.cos(turn + .45 * side), b[1] - 2 * size * Math.sin(turn + .45 * side));
    pen.fill();
  }

  outlineCone(mark, view) {
    const world = placeAlong(mark.from, mark.to, mark.radius), points = [this.project(view, mark.from)];
    for (let i = 0; i <= 24; i++) points.push(this.project(view, transformPoint(world, [Math.cos(i * Math.PI / 12), Math.sin(i * Math.PI / 12), 1])));
    points.filter(p => p).forEach(([x, y]) => this.pen.lineTo(x, y));
  }

  drawGrid(scene, colour) {
    const { pen } = this, cells = 12;
    pen.strokeStyle = colour;
    pen.lineWidth = 1;
    pen.globalAlpha = .35;
    for (const floor of this.floors)
      for (let i = -cells; i <= cells; i++)
        for (const flip of [false, true]) {
          const ends = [-cells, cells].map(j => scale(flip ? [j, i, 0] : [i, j, 0], scene.cell))
            .map(p => this.project(scene.view, transformPoint(floor.world, p)));
          if (!ends[0] || !ends[1]) continue;
          pen.beginPath();
          pen.moveTo(ends[0][0], ends[0][1]);
          pen.lineTo(ends[1][0], ends[1][1]);
          pen.stroke();
        }
    pen.globalAlpha = 1;
  }

  facesOf(item, scene, look) {
    const { vertex, index } = item.shape, faces = [];
    const point = i => transformPoint(item.world, [vertex[6 * i], vertex[6 * i + 1], vertex[6 * i + 2]]);
    for (let f = 0; f < index.length; f += 3) {
      const [a, b, c] = [point(index[f]), point(index[f + 1]), point(index[f + 2])];
      const n = unit(cross(sub(b, a), sub(c, a)));
      if (dot(n, sub(scene.eye, a)) <= 0) continue;
      const points = [a, b, c].map(p => this.project(scene.view, p));
      if (points.includes(null)) continue;
      const light = look.ambient * (.75 + .25 * n[2]) + .5 * Math.max(0, dot(n, SUN));
      faces.push({ points, depth: points[0][2] + points[1][2] + points[2][2], alpha: item.alpha,
        colour: item.colour.map(x => Math.min(1, x * light)) });
    }
    return faces;
  }
}
