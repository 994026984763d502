/* Line plots over time, with a read-out under the pointer and a line at the moment the drawing shows. */

const LINE_COLOURS = {
  light: ["#2563eb", "#e2681c", "#12926d", "#b3378f", "#b58a00", "#6d4fd8", "#0d8fb5", "#d23c4b", "#5b7a1f", "#8a5a3c"],
  dark: ["#7aa8ff", "#ff9d5c", "#4ccfa2", "#e57fc6", "#e8c24a", "#a995ff", "#53c7ea", "#ff7c86", "#a9c962", "#c99a7c"],
};
const FIRST_SHOWN = 8; // curves that have a colour at first, where there are many: those that move most
const MANY = 10;       // from more curves on, the rest is drawn grey, and all or none can be chosen

/* A colour for each slot, no two the same: the list above, then hues a golden angle apart. */
function slotColour(slot) {
  const list = LINE_COLOURS[theme()];
  if (slot < list.length) return list[slot];
  const light = (theme() === "dark" ? .68 : .46) + .06 * (slot % 3);
  return `oklch(${light.toFixed(2)} ${(.1 + .03 * (slot % 2)).toFixed(2)} ${(slot * 137.508 % 360).toFixed(1)})`;
}

const MOMENT_WIDTH = 14; // px, of a moment's line and dots
const MARGIN = { left: 46, right: 10, top: 8, bottom: 20 };

/* Up to `count` round numbers between low and high. */
function ticks(low, high, count) {
  const step = roundStep((high - low) / count), out = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) out.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return out;
}

/* Four significant digits, short. */
function short(x) {
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return x.toExponential(size < 1e-3 ? 1 : 2).replace("e+", "e").replaceAll("-", "−");
  return String(+x.toPrecision(4)).replaceAll("-", "−");
}

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

class Plot {
  /* pick: motion -> [{ name, values, unit }], the same names for all motions; on: { seek(time), hover(time or null) } */
  constructor(parent, title, unitText, pick, on) {
    Object.assign(this, { on, pick, unit: unitText, marked: -1, series: pick(motion).map(s => ({ ...s, slot: -1 })) });
    this.canvas = element("canvas");
    this.tip = element("div", { class: "tip" });
    this.legend = element("div", { class: "legend", role: "group", "aria-label": `Curves: ${title}` });
    const heading = element("h2", {}, title, element("span", {}, unitText));
    /* the moment, and one pointed at: narrow, so that a frame draws few pixels and moves them */
    this.moments = ["now", "pointed"].map(() => element("canvas", { class: "moment" }));
    this.area = element("div", { class: "area" }, this.canvas, ...this.moments);
    this.card = element("div", { class: "card plot" }, heading, this.legend, this.area, this.tip);
    parent.append(this.card);
    this.seen = false; // on the screen
    new IntersectionObserver(([entry]) => { this.seen = entry.isIntersecting; if (this.seen) this.draw(this.now || 0); }).observe(this.area);
    if (this.series.length > MANY) heading.append(this.choiceButton("All", true), this.choiceButton("None", false));
    this.makeLegend();
    this.chooseFirst();
    this.canvas.addEventListener("pointerdown", event => { this.canvas.setPointerCapture(event.pointerId); this.point(event, true); });
    this.canvas.addEventListener("pointermove", event => this.point(event, event.buttons === 1));
    this.canvas.addEventListener("pointerleave", () => this.leave());
  }

  choiceButton(text, all) {
    const button = element("button", { type: "button", class: "choice" }, text);
    button.addEventListener("click", () => { this.series.forEach((_, i) => this.show(i, all)); this.redraw(); });
    return button;
  }

  makeLegend() {
    this.legend.hidden = this.series.length < 2;
    this.buttons = this.series.map((s, i) => {
      const button = element("button", { type: "button", title: `${s.name}: show or hide` }, element("i"), s.name);
      button.addEventListener("click", () => { this.show(i, s.slot < 0); this.marked = -1; this.redraw(); });
      for (const name of ["pointerenter", "focus"]) button.addEventListener(name, () => this.mark(i));
      for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => this.mark(-1));
      this.legend.append(button);
      return button;
    });
  }

  mark(i) {
    if (i === this.marked) return;
    this.marked = i;
    this.redraw();
  }

  /* A curve takes the first colour that no other shown one has; one that is hidden gives it back. */
  show(i, shown) {
    const s = this.series[i];
    if (shown === (s.slot >= 0)) return;
    const taken = new Set(this.series.map(other => other.slot));
    let slot = -1;
    if (shown) do slot++; while (taken.has(slot));
    s.slot = slot;
    this.buttons[i].classList.toggle("off", !shown);
    this.buttons[i].setAttribute("aria-pressed", String(shown));
  }

  /* All, or of many those that move most. */
  chooseFirst() {
    const span = values => values.reduce((a, x) => Math.max(a, x), -Infinity) - values.reduce((a, x) => Math.min(a, x), Infinity);
    const order = this.series.map((s, i) => ({ i, size: span(s.values) })).sort((a, b) => b.size - a.size || a.i - b.i);
    const first = new Set((this.series.length > MANY ? order.slice(0, FIRST_SHOWN) : order).map(entry => entry.i));
    this.series.forEach((s, i) => {
      this.buttons[i].classList.add("off");
      this.buttons[i].setAttribute("aria-pressed", "false");
      if (first.has(i)) this.show(i, true);
    });
  }

  /* The curves of the motion that is shown now. */
  rebind() {
    this.pick(motion).forEach((s, i) => { this.series[i].values = s.values; });
    this.redraw();
  }

  colour(i) {
    const { slot } = this.series[i];
    return slot >= 0 ? slotColour(slot) : this.css.faint;
  }

  /* Size, scales and the still picture, from scratch. */
  redraw() {
    const ratio = Math.min(2, devicePixelRatio || 1), box = this.canvas.getBoundingClientRect();
    for (const canvas of [this.canvas, ...this.moments]) {
      canvas.width = Math.max(1, Math.round((canvas === this.canvas ? box.width : MOMENT_WIDTH) * ratio));
      canvas.height = Math.max(1, Math.round(box.height * ratio));
    }
    const style = getComputedStyle(document.documentElement), css = name => style.getPropertyValue(name);
    Object.assign(this, { ratio, width: box.width, height: box.height, css: { accent: css("--accent"), card: css("--card"), faint: css("--faint") } });
    this.findRange();
    this.drawStill(this.canvas.getContext("2d"));
    this.buttons.forEach((button, i) => { button.firstChild.style.background = this.colour(i); });
    this.draw(this.now || 0);
  }

  findRange() {
    let low = Infinity, high = -Infinity;
    for (const s of this.series)
      if (s.slot >= 0) for (const y of [...s.values, ...this.boundsOf(s)]) { if (y < low) low = y; if (y > high) high = y; }
    if (low > high) [low, high] = [0, 1];
    const flat = this.series.every(s => s.least), size = Math.max(Math.abs(low), Math.abs(high));
    const still = high === low && !flat ? (size > 0 ? .1 * size : 1) : 0; // what does not change has round numbers beside it
    const least = Math.max(1e-6, ...this.series.map(s => s.least || 0), 1e-4 * size);
    const pad = still || .06 * (high - low) + (high - low < least ? least : 0);
    Object.assign(this, { low: flat ? Math.min(0, low) : low - pad, high: high + pad });
  }

  /* Limits that are not far beyond what the curve reaches. */
  boundsOf(s) {
    const most = s.values.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
    return (s.bounds || []).filter(bound => Math.abs(bound) <= 3 * most);
  }

  x(time) { return MARGIN.left + (this.width - MARGIN.left - MARGIN.right) * (duration > 0 ? time / duration : 0); }
  y(value) { return MARGIN.top + (this.height - MARGIN.top - MARGIN.bottom) * (this.high - value) / (this.high - this.low); }

  drawStill(pen) {
    const style = getComputedStyle(document.documentElement), faint = style.getPropertyValue("--line"), text = style.getPropertyValue("--muted");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.font = `11px ${style.getPropertyValue("--sans")}`;
    pen.fillStyle = text;
    pen.strokeStyle = faint;
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(this.low, this.high, Math.max(2, this.height / 34))) {
      const y = Math.round(this.y(value)) + .5;
      pen.beginPath(); pen.moveTo(MARGIN.left, y); pen.lineTo(this.width - MARGIN.right, y); pen.stroke();
      pen.fillText(short(value), MARGIN.left - 7, y);
    }
    pen.textBaseline = "alphabetic";
    for (const time of ticks(0, duration, Math.max(2, Math.min(8, this.width / 80)))) {
      pen.textAlign = time === 0 ? "left" : time > .97 * duration ? "right" : "center";
      pen.fillText(`${short(time)} s`, this.x(time), this.height - 5);
    }
    this.drawLines(pen);
  }

  drawLines(pen) {
    const step = Math.max(1, Math.floor(motion.frames / (4 * this.width)));
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, 0, this.width - MARGIN.left, this.height - MARGIN.bottom + 2);
    pen.clip();
    pen.lineJoin = "round";
    const order = this.series.map((s, i) => i).sort((a, b) => this.rank(a) - this.rank(b));
    for (const i of order) this.drawLine(pen, this.series[i], i, step);
    pen.restore();
  }

  /* What is drawn later lies above: hidden curves, shown ones, the marked one. */
  rank(i) { return i === this.marked ? 2 : this.series[i].slot >= 0 ? 1 : 0; }

  drawLine(pen, s, i, step) {
    const shown = s.slot >= 0, marked = i === this.marked, count = this.series.filter(other => other.slot >= 0).length;
    if (!shown && !marked && this.series.length <= MANY) return;
    pen.strokeStyle = this.colour(i);
    pen.lineWidth = marked ? 2.6 : shown ? (count > 6 ? 1.4 : 1.8) : .8;
    pen.globalAlpha = marked ? 1 : this.marked >= 0 ? .2 : shown ? 1 : .4;
    pen.beginPath();
    let last = null;
    for (let k = 0; k < motion.frames; k += step) {
      const x = this.x(motion.time[k] - motion.time[0]), y = this.y(s.values[k]);
      if (s.steps && last !== null) pen.lineTo(x, last);
      pen.lineTo(x, y);
      last = y;
    }
    pen.lineTo(this.x(duration), this.y(s.values[motion.frames - 1]));
    pen.stroke();
    if (shown) this.drawBounds(pen, s);
  }

  drawBounds(pen, s) {
    pen.setLineDash([4, 4]);
    pen.lineWidth = 1;
    for (const bound of this.boundsOf(s)) {
      pen.beginPath(); pen.moveTo(this.x(0), this.y(bound)); pen.lineTo(this.x(duration), this.y(bound)); pen.stroke();
    }
    pen.setLineDash([]);
  }

  valueAt(s, time) {
    const { frame, share } = frameAt(time), next = Math.min(frame + 1, motion.frames - 1);
    if (s.steps) return s.values[contactFrame(time)];
    return s.values[frame] + share * (s.values[next] - s.values[frame]);
  }

  /* The moment's line and dots over the still picture, and those of the moment that is pointed at. */
  draw(now) {
    this.now = now;
    if (!this.seen || !this.css) return;
    const pointed = this.pointed === undefined ? null : this.pointed, [here, there] = this.moments;
    this.drawMoment(here, now, this.css.accent);
    there.hidden = pointed === null;
    if (pointed !== null) this.drawMoment(there, pointed, this.css.faint);
  }

  drawMoment(canvas, time, colour) {
    const pen = canvas.getContext("2d"), x = this.x(time), left = Math.floor(x - MOMENT_WIDTH / 2);
    canvas.style.transform = `translateX(${left}px)`;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, MOMENT_WIDTH, this.height);
    pen.translate(-left, 0);
    pen.strokeStyle = colour;
    pen.lineWidth = 1.25;
    pen.beginPath(); pen.moveTo(x, MARGIN.top - 4); pen.lineTo(x, this.height - MARGIN.bottom); pen.stroke();
    this.series.forEach((s, i) => {
      if ((s.slot < 0 || this.series.length > MANY) && i !== this.marked) return;
      pen.fillStyle = this.colour(i);
      pen.strokeStyle = this.css.card;
      pen.lineWidth = 1.5;
      pen.beginPath(); pen.arc(x, this.y(this.valueAt(s, time)), 3.6, 0, 7); pen.fill(); pen.stroke();
    });
  }

  point(event, seek) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const share = (x - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right), time = duration * Math.max(0, Math.min(1, share));
    if (seek) this.on.seek(time);
    this.on.hover(time);
    const near = this.series.map((s, i) => ({ s, i, value: this.valueAt(s, time) })).filter(row => row.s.slot >= 0)
      .sort((a, b) => Math.abs(this.y(a.value) - y) - Math.abs(this.y(b.value) - y));
    const marked = this.series.length > 4 && near.length > 0 ? near[0].i : -1;
    if (marked !== this.marked) { this.marked = marked; this.redraw(); }
    this.showTip(time, near.slice(0, this.series.length > 4 ? 3 : 4), x, box);
  }

  showTip(time, rows, x, box) {
    const lines = rows.map(({ s, i, value }) => {
      const dot = element("i");
      dot.style.background = this.colour(i);
      return element("div", {}, dot, s.name, element("b", {}, `${short(value)} ${s.unit === undefined ? this.unit : s.unit}`));
    });
    this.tip.replaceChildren(element("b", {}, `${time.toFixed(3)} s`), ...lines);
    this.tip.style.display = rows.length > 0 ? "block" : "none";
    const card = this.card.getBoundingClientRect(), right = x > this.width / 2;
    const left = box.left - card.left + x + (right ? -14 - this.tip.offsetWidth : 14);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.max(6, box.top - card.top + 6)}px`;
  }

  leave() {
    this.tip.style.display = "none";
    this.marked = -1;
    this.on.hover(null);
    this.redraw();
  }

  /* A moment pointed at in any of the plots; null for none. */
  hover(time) { this.pointed = time; this.draw(this.now || 0); }
}
