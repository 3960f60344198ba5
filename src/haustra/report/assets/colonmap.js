// The colon map: the camera's place with its uncertainty, findings, and a way to each segment.
import { capital, clamp, clock, colourOf, data, segmentIndex, svg } from './dom.js';
import { markAt, marksOf, shownFindings } from './findings.js';
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

  segment({ name, d, missing }) {
    if (missing) {
      return svg('path', { class: 'segment missing', d, fill: 'none', stroke: 'var(--soft)', 'stroke-width': 2, 'stroke-dasharray': '5 5', 'data-segment': name }, [svg('title', { text: `${capital(name)}: missing` })]);
    }
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

  // The place of a location, moved `across` the lumen from its middle.
  at(location, across = 0) {
    const position = clamp(location, 0, 1) * (this.points.length - 1);
    const i = Math.min(Math.floor(position), this.points.length - 2);
    const w = position - i;
    const [before, behind] = [this.points[Math.max(i - 2, 0)], this.points[Math.min(i + 3, this.points.length - 1)]];
    const [dx, dy] = [behind[0] - before[0], behind[1] - before[1]];
    const aside = across / (Math.hypot(dx, dy) || 1);
    return [0, 1].map((axis) => this.points[i][axis] * (1 - w) + this.points[i + 1][axis] * w + aside * [-dy, dx][axis]);
  }

  along(from, to, across = 0) { return Array.from({ length: 13 }, (_, i) => this.at(from + (to - from) * i / 12, across)); }

  // Each with a line as long as its place is uncertain; side by side, so that neighbours can be told apart.
  findings() {
    const found = shownFindings(this.review).filter((finding) => data.placed && Number.isFinite(finding.location_index));
    const marks = marksOf(shownFindings(this.review));
    const across = found.map((_, i) => (found.length > 1 ? 0.2 * data.map.width * Math.sin(2.4 * i) : 0));
    const spreads = found.flatMap((finding, i) => {
      if (!(finding.location_std > 0)) return [];
      const steps = this.along(finding.location_index - finding.location_std, finding.location_index + finding.location_std, across[i]);
      return svg('polyline', { class: 'finding-spread', points: steps.map((point) => point.join(',')).join(' '), fill: 'none', stroke: marks.get(finding.kind).colour, 'stroke-opacity': 0.6, 'stroke-width': 4, 'stroke-linecap': 'round', 'pointer-events': 'none' });
    });
    return [...spreads, ...found.map((finding, i) => {
      const [x, y] = this.at(finding.location_index, across[i]);
      const words = `${clock(finding.time_s)} ${finding.label ?? ''}${finding.location_std > 0 ? `, ± ${finding.location_std.toFixed(2)}` : ''}`;
      return markAt(marks.get(finding.kind), x, y, data.map.width * 0.24, { class: 'finding', 'data-kind': finding.kind }, [svg('title', { text: words })]);
    })];
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
    this.spread.setAttribute('points', this.along(state.lo, state.hi).map((point) => point.join(',')).join(' '));
  }
}
