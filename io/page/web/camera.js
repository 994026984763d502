/* An eye that circles a target: drag to turn, shift- or right-drag to move, wheel or pinch to zoom. */

const LENS = 32 * Math.PI / 180;
const WIDE = 1.3; // width over height from which on a picture holds the whole motion
const TURN = .006; // radians per pixel

class Camera {
  constructor(canvas, home, changed) {
    Object.assign(this, { canvas, home, changed, pointers: new Map(), offset: [0, 0, 0] });
    this.reset();
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, event => this.pointers.delete(event.pointerId));
    canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
  }

  reset() {
    Object.assign(this, { target: [...this.home.target], distance: this.home.distance, turn: this.home.turn, lift: this.home.lift,
      offset: [0, 0, 0] });
    this.changed();
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const spread = this.spread(), dx = event.clientX - before[0], dy = event.clientY - before[1];
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pointers.size === 2) {
      this.zoom(spread / (this.spread() || 1));
      this.pan(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons & 6) {
      this.pan(dx, dy);
    } else {
      this.turn -= TURN * dx;
      this.lift = Math.max(-.2, Math.min(1.54, this.lift + TURN * dy));
    }
    this.changed(true);
  }

  /* Distance between two fingers. */
  spread() {
    const [a, b] = [...this.pointers.values()];
    return a && b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  }

  pan(dx, dy) {
    const pixel = 2 * this.distance * Math.tan(LENS / 2) / this.canvas.clientHeight, back = this.direction();
    const right = unit(cross([0, 0, 1], back)), up = cross(back, right);
    this.offset = add(this.offset, add(scale(right, -dx * pixel), scale(up, dy * pixel)));
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY * (event.deltaMode === 1 ? .05 : .0012)));
    this.changed(true);
  }

  zoom(factor) {
    this.distance = Math.max(.05 * this.home.distance, Math.min(12 * this.home.distance, this.distance * factor));
  }

  /* From the target to the eye. */
  direction() {
    const c = Math.cos(this.lift);
    return [c * Math.cos(this.turn), c * Math.sin(this.turn), Math.sin(this.lift)];
  }

  /* -> { view, eye, centre } for a canvas of this shape. */
  look(aspect) {
    const centre = add(this.target, this.offset), wide = Math.max(1, WIDE / aspect); // step back in a tall window
    const eye = add(centre, scale(this.direction(), this.distance * wide));
    const far = this.distance * wide + 40 * this.home.distance;
    return { eye, centre, view: multiply(perspective(LENS, aspect, .01 * this.home.distance, far), lookAt(eye, centre)) };
  }
}
