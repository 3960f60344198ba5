// The camera path in three dimensions: a small projection of its own, without WebGL, so that it works and prints everywhere.
import { clamp, colourOf, css, data } from './dom.js';
import { lastBefore, runAt } from './lookup.js';

const FIRST_VIEW = { yaw: -0.35, pitch: 0.26 };
const DISTANCE = 4.2;

export class Path3d {
  constructor(canvas, seek) {
    Object.assign(this, { canvas, seek, ...FIRST_VIEW, time: data.span[0] });
    this.radius = Math.max(0.1, ...data.path.xyz.map(([x, , z]) => Math.hypot(x, z)));
    this.high = Math.max(0.1, ...data.path.xyz.map(([, y]) => Math.abs(y)));
    canvas.setAttribute('aria-label', `Camera path in three dimensions, ${data.path.t.length} points${data.placed ? ', coloured by segment from cecum to rectum' : ''}`);
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    for (const name of ['beforeprint', 'afterprint']) addEventListener(name, () => this.draw());
    this.pointer();
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  pointer() {
    let last = null;
    let moved = 0;
    this.canvas.addEventListener('pointerdown', (event) => { last = event; moved = 0; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener('pointermove', (event) => {
      if (!last) return;
      const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
      moved += Math.hypot(dx, dy);
      if (moved > 4) this.turn(dx * 0.01, dy * 0.01);
      last = event;
    });
    this.canvas.addEventListener('pointerup', (event) => { if (last && moved <= 4) this.click(event); last = null; });
    this.canvas.addEventListener('pointercancel', () => { last = null; });
  }

  key(event) {
    const turns = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };
    if (!turns[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    this.turn(...turns[event.key]);
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = clamp(this.pitch + pitch, -1.4, 1.4);
    this.draw();
  }

  reset() { Object.assign(this, FIRST_VIEW); this.draw(); }

  project([x, y, z]) {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const [u, w] = [x * cy + z * sy, z * cy - x * sy];
    const [v, depth] = [y * cp - w * sp, w * cp + y * sp];
    const scale = DISTANCE / (DISTANCE + depth);
    return [this.cx + u * scale * this.size, this.cy + v * scale * this.size, depth, scale];
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    // Room for every yaw at this pitch: the picture does not breathe while it is turned.
    const reach = this.radius * Math.abs(Math.sin(this.pitch)) + this.high * Math.cos(this.pitch);
    Object.assign(this, { cx: width / 2, cy: height * 0.47, size: Math.min(width * 0.42 / this.radius, height * 0.47 / reach) });
    const context = this.canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.lineCap = 'round';
    this.floor(context);
    this.tube(context);
    this.marks(context);
  }

  floor(context) {
    const [height, far] = [this.high + 0.12, this.radius];
    context.strokeStyle = css('--grid');
    context.lineWidth = 1;
    for (let i = -4; i <= 4; i += 1) {
      for (const [a, b] of [[[i * far / 4, height, -far], [i * far / 4, height, far]], [[-far, height, i * far / 4], [far, height, i * far / 4]]]) this.line(context, [a, b]);
    }
    context.strokeStyle = css('--line');
    context.lineWidth = 3;
    this.line(context, data.path.xyz.map(([x, , z]) => [x, height, z]));
  }

  line(context, points) {
    context.beginPath();
    for (const point of points) context.lineTo(...this.project(point).slice(0, 2));
    context.stroke();
  }

  // From back to front, each piece with a halo, so that the nearer part of the path visibly passes over the farther one.
  tube(context) {
    this.screen = data.path.xyz.map((point) => this.project(point));
    const halo = css('--halo');
    const depth = ({ from, to }) => this.screen[(from + to) >> 1][2];
    for (const piece of this.pieces().sort((a, b) => depth(b) - depth(a))) {
      const width = 3.8 * this.screen[piece.from][3] ** 2;
      // The halo ends before its piece does: it must not cut into the neighbours, which may already be drawn.
      this.stroke(context, this.beyond(piece.from, 1), this.beyond(piece.to, -1), { lineCap: 'butt', lineWidth: width + 4, strokeStyle: halo });
      this.stroke(context, piece.from - 1, piece.to + 1, { lineCap: 'round', lineWidth: width, strokeStyle: piece.segment < 0 ? css('--ink') : colourOf(piece.segment) });
    }
  }

  // The first point that is drawn a halo's width away from point `i`.
  beyond(i, step) {
    const [x, y] = this.screen[i];
    let k = i;
    while (this.screen[k] && Math.hypot(this.screen[k][0] - x, this.screen[k][1] - y) < 9) k += step;
    return k;
  }

  stroke(context, from, to, style) {
    Object.assign(context, style, { lineJoin: 'round' });
    context.beginPath();
    for (const [x, y] of this.screen.slice(Math.max(from, 0), to + 1)) context.lineTo(x, y);
    context.stroke();
  }

  // Stretches of one segment, none longer than a fortieth of the path, so that depth can be sorted.
  pieces() {
    const seg = data.path.t.map((time) => runAt(time)?.segment ?? -1);
    const longest = Math.max(2, Math.ceil(seg.length / 40));
    const pieces = [];
    for (let i = 1; i < seg.length; i += 1) {
      const last = pieces[pieces.length - 1];
      if (last && last.segment === seg[i] && last.to - last.from < longest) last.to = i;
      else pieces.push({ from: i - 1, to: i, segment: seg[i] });
    }
    return pieces;
  }

  marks(context) {
    if (!this.screen.length) return;
    context.font = `12px ${css('--sans')}`;
    const ends = [[this.screen[0], 'start'], [this.screen[this.screen.length - 1], 'end']];
    for (const [[x, y], text] of ends) {
      context.lineWidth = 4;
      context.strokeStyle = css('--halo');
      context.fillStyle = css('--soft');
      context.strokeText(text, x + 9, y - 7);
      context.fillText(text, x + 9, y - 7);
    }
    const [x, y] = this.screen[lastBefore(data.path.t, this.time)];
    context.beginPath();
    context.arc(x, y, 7, 0, 2 * Math.PI);
    context.fillStyle = '#1d2329';
    context.strokeStyle = '#ffffff';
    context.lineWidth = 2.5;
    context.fill();
    context.stroke();
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let nearest = 24;
    this.screen.forEach((point, i) => {
      const distance = Math.hypot(point[0] - x, point[1] - y);
      if (distance < nearest) { nearest = distance; best = i; }
    });
    if (best >= 0) this.seek(data.path.t[best]);
  }

  update(time) { this.time = time; this.draw(); }
}
