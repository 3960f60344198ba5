// The colon map: the camera's place with its uncertainty, findings, and a way to each segment.
import { capital, clamp, clock, colourOf, data, segmentIndex, svg } from './dom.js';
import { shownFindings } from './findings.js';
import { firstIn, stateAt, timeOf } from './lookup.js';

export class ColonMap {
  constructor(holder, seek, review) {
    Object.assign(this, { seek, review });
    this.svg = svg('svg', { viewBox: data.map.viewBox.join(' '), class: 'colon' });
    this.spread = svg('polyline', { class: 'spread', fill: 'none', stroke: 'var(--ink)', 'stroke-opacity': 0.55, 'stroke-width': data.map.width * 0.28, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'pointer-events': 'none' });
    this.dot = svg('circle', { class: 'camera', r: data.map.width * 0.3, stroke: '#ffffff', 'stroke-width': data.map.width * 0.1, fill: '#1d2329', 'pointer-events': 'none' });
    this.svg.addEventListener('click', (event) => this.click(event));
    holder.append(this.svg);
    this.draw();
  }

  draw() {
    this.points = data.map.line;
    const { segments } = data.map;
    this.svg.replaceChildren(...segments.map((segment) => this.segment(segment)), ...segments.map((segment) => this.label(segment)), this.spread, ...this.findings(), this.dot);
  }

  segment({ name, d }) {
    const first = firstIn(segmentIndex(name));
    const label = first === null ? `${capital(name)}: not seen` : `${capital(name)}: go to its first frame at ${clock(first)}`;
    const go = (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      if (first !== null) this.seek(first);
    };
    return svg('path', { class: 'segment', d, fill: colourOf(name), stroke: 'var(--paper)', 'stroke-width': 2, role: 'button', tabindex: '0', 'aria-label': label, 'data-segment': name, onkeydown: go },
      [svg('title', { text: label })]);
  }

  label({ name, label }) {
    return svg('text', { x: label.x, y: label.y, 'text-anchor': label.anchor, 'aria-hidden': 'true', text: capital(name) });
  }

  at(location) {
    const position = clamp(location, 0, 1) * (this.points.length - 1);
    const i = Math.min(Math.floor(position), this.points.length - 2);
    const w = position - i;
    return [0, 1].map((axis) => this.points[i][axis] * (1 - w) + this.points[i + 1][axis] * w);
  }

  findings() {
    return shownFindings(this.review).filter((finding) => Number.isFinite(finding.location_index)).map((finding) => {
      const [cx, cy] = this.at(finding.location_index);
      return svg('circle', { class: 'finding', cx, cy, r: data.map.width * 0.2, fill: '#ffffff', stroke: '#1d2329', 'stroke-width': data.map.width * 0.09 },
        [svg('title', { text: String(finding.label ?? '') })]);
    });
  }

  click(event) {
    const matrix = this.svg.getScreenCTM().inverse();
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    let best = 0;
    let nearest = Infinity;
    this.points.forEach(([x, y], i) => {
      const distance = Math.hypot(x - p.x, y - p.y);
      if (distance < nearest) { nearest = distance; best = i; }
    });
    if (nearest < data.map.width * 1.5) this.seek(timeOf(best / (this.points.length - 1)));
  }

  update(time) {
    const state = stateAt(time);
    this.dot.style.display = state ? '' : 'none';
    if (!state) return;
    const [x, y] = this.at(state.loc);
    this.dot.setAttribute('cx', x);
    this.dot.setAttribute('cy', y);
    const steps = Array.from({ length: 13 }, (_, i) => this.at(state.lo + (state.hi - state.lo) * i / 12));
    this.spread.setAttribute('points', steps.map((point) => point.join(',')).join(' '));
  }
}
