// The seven times on the curve: lines that can be dragged, or moved by the arrow keys, while the reader corrects.
import { clock, data, svg } from './dom.js';
import { FRAME_S, milliseconds, timeLabel } from './review.js';

const GRIP = { width: 14, height: 22 };

export class Handles {
  constructor(curve, review, seek) {
    Object.assign(this, { curve, review, seek, editing: false, focused: null });
    curve.holder.addEventListener('drawn', () => this.draw());
    review.addEventListener('change', () => this.draw());
  }

  edit(on) {
    this.editing = on;
    this.curve.holder.classList.toggle('editing', on);
    this.draw();
  }

  draw() {
    if (!this.curve.width) return;
    const { focused } = this; // which the redrawing takes away
    const shown = this.review.shownTimes().filter(({ name }) => this.editing || !['cecum', 'stop'].includes(name));
    this.curve.over.replaceChildren(...shown.map((entry) => this.handle(entry)));
    if (focused) this.curve.over.querySelector(`[data-time="${focused}"]`)?.focus({ preventScroll: true });
  }

  handle({ name, time, set }) {
    const { curve } = this;
    const x = curve.x(time);
    const base = curve.top + curve.height;
    const line = svg('line', { x1: x, x2: x, y1: curve.top, y2: base + 22, class: 'edge' });
    const group = svg('g', { class: `handle${set ? ' set' : ''}`, 'data-time': name }, [line]);
    if (!this.editing) return group;
    const grip = svg('rect', { class: 'grip', x: x - GRIP.width / 2, y: base - GRIP.height - 4, width: GRIP.width, height: GRIP.height, rx: 4 });
    const dots = [-3, 0, 3].map((dy) => svg('circle', { class: 'dot', cx: x, cy: base - GRIP.height / 2 - 4 + dy, r: 1.1 }));
    const reach = svg('rect', { class: 'reach', x: x - 11, y: curve.top, width: 22, height: curve.height + 24 });
    group.append(grip, ...dots, reach);
    const words = { role: 'slider', tabindex: '0', 'aria-label': `${timeLabel(name)}${['cecum', 'stop'].includes(name) ? '' : ' entered'}`,
      'aria-valuemin': data.review.span[0], 'aria-valuemax': data.review.span[1], 'aria-valuenow': time.toFixed(2), 'aria-valuetext': `${clock(time)}, set by ${this.review.setBy(name)}` };
    for (const [key, value] of Object.entries(words)) group.setAttribute(key, value);
    group.addEventListener('pointerdown', (event) => this.grab(event, group, name, time));
    group.addEventListener('keydown', (event) => this.key(event, name, time));
    group.addEventListener('focus', () => { this.focused = name; });
    group.addEventListener('blur', () => { this.focused = null; });
    return group;
  }

  // While it is dragged the picture shows what lies under it.
  grab(event, group, name, from) {
    event.preventDefault();
    group.setPointerCapture(event.pointerId);
    const [low, high] = this.review.limits(name);
    let time = from;
    const move = (moved) => {
      time = milliseconds(Math.min(Math.max(this.curve.timeAt(moved), low), high));
      group.setAttribute('transform', `translate(${this.curve.x(time) - this.curve.x(from)} 0)`);
      this.seek(time);
      this.curve.hover(moved);
    };
    group.addEventListener('pointermove', move);
    const drop = (keep) => {
      group.removeEventListener('pointermove', move);
      this.focused = name;
      if (keep && time !== from) this.review.setTime(name, time); else this.draw();
    };
    group.addEventListener('pointerup', () => drop(true), { once: true });
    group.addEventListener('pointercancel', () => drop(false), { once: true });
  }

  key(event, name, time) {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (step) this.seek(this.review.setTime(name, time + step * (event.shiftKey ? 1 : FRAME_S)));
    else if (event.key === 'Delete' || event.key === 'Backspace') this.review.releaseTime(name);
    else if (event.key === 'Enter') this.seek(time);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
