// Location over time: a band for each stretch in one segment, uncertainty, lanes for segment, dropped and biopsies.
import { byId, capital, clamp, clock, colourOf, data, el, percent, svg } from './dom.js';
import { markAt, marksOf, shownFindings } from './findings.js';
import { describe, stateAt } from './lookup.js';

const LANES = ['Segment', 'Dropped', 'Biopsy'];

// A line through what is known: it ends where nothing is, and begins again behind it.
function brokenPath(t, values, x, y) {
  let pen = 'M';
  const parts = [];
  values.forEach((value, i) => {
    if (value === null) { pen = 'M'; return; }
    parts.push(`${pen}${x(t[i]).toFixed(1)} ${y(value).toFixed(1)}`);
    pen = 'L';
  });
  return parts.join('');
}

// Stretches of neighbours that are all known, as index pairs.
function knownStretches(values) {
  const found = [];
  values.forEach((value, i) => {
    if (value === null) return;
    if (i && values[i - 1] !== null) found[found.length - 1][1] = i; else found.push([i, i]);
  });
  return found;
}

export class Curve {
  constructor(holder, seek, review) {
    Object.assign(this, { holder, seek, review });
    this.tip = el('div', { class: 'tip', hidden: '', 'aria-hidden': 'true' });
    this.svg = svg('svg', { class: 'plot', role: 'slider', tabindex: '0', 'aria-label': 'Location over time' });
    this.over = svg('svg', { class: 'handles' });
    holder.append(this.svg, this.over, this.tip);
    this.svg.addEventListener('pointerdown', (event) => { holder.classList.add('pointed'); this.drag = true; this.svg.setPointerCapture(event.pointerId); this.jump(event); });
    this.svg.addEventListener('pointermove', (event) => { if (this.drag) this.jump(event); this.hover(event); });
    this.svg.addEventListener('pointerup', () => { this.drag = false; });
    this.svg.addEventListener('pointercancel', () => { this.drag = false; });
    this.svg.addEventListener('keydown', () => holder.classList.remove('pointed'));
    this.svg.addEventListener('pointerleave', () => this.hover(null));
    byId('scopeguide-key').hidden = !data.curve.scopeguide_index;
    new ResizeObserver(() => { if (holder.clientWidth !== this.full) this.draw(); }).observe(holder);
  }

  x(time) { return this.left + (time - data.shown[0]) / Math.max(data.shown[1] - data.shown[0], 1e-9) * this.width; }
  y(location) { return this.top + location * this.height; }
  timeAt(event) {
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    return clamp(data.shown[0] + (x - this.left) / this.width * (data.shown[1] - data.shown[0]), ...data.shown);
  }

  jump(event) { this.seek(this.timeAt(event)); }

  draw() {
    const full = this.holder.clientWidth;
    if (!full) return;
    this.full = full;
    this.left = full < 560 ? 62 : 70;
    this.top = 24;
    this.width = Math.max(full - this.left - 10, 20);
    this.height = full < 560 ? 220 : 270;
    this.total = this.top + this.height + 84;
    for (const layer of [this.svg, this.over]) {
      layer.setAttribute('height', this.total);
      layer.setAttribute('viewBox', `0 0 ${full} ${this.total}`);
    }
    [this.svg.ariaValueMin, this.svg.ariaValueMax] = data.shown;
    this.cursor = svg('g', { class: 'cursor', 'pointer-events': 'none' });
    this.svg.replaceChildren(...this.bands(), ...this.scale(), ...this.ticks(), ...this.uncertainty(), ...this.scopeguide(), this.line(), ...this.lanes(), ...this.marks(), this.cursor);
    if (this.time !== undefined) this.update(this.time);
    this.holder.dispatchEvent(new Event('drawn'));
  }

  bands() {
    return data.runs.filter((run) => run.segment >= 0).flatMap((run) => {
      const [from, to] = [this.x(run.start), this.x(Math.min(run.end, data.shown[1]))];
      const name = capital(data.segments[run.segment].name);
      const band = svg('rect', { class: 'band', x: from, y: this.top, width: Math.max(to - from, 0), height: this.height, fill: colourOf(run.segment), 'fill-opacity': 0.13 },
        [svg('title', { text: run.again ? `${name}, re-entered` : name })]);
      const label = svg('text', { class: 'band-name', x: (from + to) / 2, y: this.top - 8, 'text-anchor': 'middle', text: name });
      return to - from >= 7 * name.length ? [band, label] : [band];
    });
  }

  scale() {
    const words = data.placed ? { 0: 'Cecum', 1: 'Rectum' } : {};
    return [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
      svg('line', { x1: this.left, x2: this.left + this.width, y1: this.y(share), y2: this.y(share), stroke: 'var(--line)' }),
      ...(share % 0.5 ? [] : [svg('text', { x: this.left - 11, y: this.y(share) + 4, 'text-anchor': 'end', text: words[share] ?? (data.placed ? share.toFixed(1) : percent(share)) })])]);
  }

  ticks() {
    const [start, end] = data.shown;
    const wanted = (end - start) / Math.max(this.width / 75, 2);
    const step = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600].find((s) => s >= wanted) || 7200;
    const nodes = [];
    for (let time = Math.ceil(start / step) * step; time <= end; time += step) {
      const x = this.x(time);
      nodes.push(svg('line', { x1: x, x2: x, y1: this.top, y2: this.top + this.height, stroke: 'var(--line)' }));
      if (x > this.left + 8 && x < this.left + this.width - 8) {
        nodes.push(svg('text', { x, y: this.top + this.height + 80, 'text-anchor': 'middle', text: clock(time) }));
      }
    }
    return nodes;
  }

  uncertainty() {
    const { t, loc, lo, hi } = data.curve;
    const at = (i, values) => `${this.x(t[i]).toFixed(1)},${this.y(values[i]).toFixed(1)}`;
    return knownStretches(loc).map(([from, to]) => {
      const indices = Array.from({ length: to - from + 1 }, (_, k) => from + k);
      const points = [...indices.map((i) => at(i, lo)), ...indices.reverse().map((i) => at(i, hi))].join(' ');
      return svg('polygon', { class: 'spread', points, fill: 'var(--ink)', 'fill-opacity': 0.16 });
    });
  }

  // The location index of ScopeGuide's inserted length, where the user gave a track.
  scopeguide() {
    const { t, scopeguide_index: index } = data.curve;
    if (!index) return [];
    const d = brokenPath(t, index, (time) => this.x(time), (value) => this.y(value));
    return [svg('path', { class: 'scopeguide', d, fill: 'none', stroke: 'var(--accent)', 'stroke-width': 1.6, 'stroke-dasharray': '6 4' })];
  }

  line() {
    const { t, loc } = data.curve;
    const d = brokenPath(t, loc, (time) => this.x(time), (value) => this.y(value));
    return svg('path', { class: 'line', d, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.8, 'stroke-linejoin': 'round' });
  }

  lanes() {
    const base = this.top + this.height;
    const bar = (from, to, y, colour, name, label) => svg('rect', { class: name, x: this.x(from), y, height: 12, fill: colour,
      width: Math.max(this.x(Math.min(to, data.shown[1])) - this.x(from), 1) }, label ? [svg('title', { text: label })] : []);
    const nodes = LANES.flatMap((name, i) => [
      svg('rect', { x: this.left, y: base + 10 + 18 * i, width: this.width, height: 12, fill: 'var(--grid)' }),
      svg('text', { x: this.left - 11, y: base + 20 + 18 * i, 'text-anchor': 'end', text: name })]);
    for (const run of data.runs) {
      nodes.push(bar(run.start, run.end, base + 10, colourOf(run.segment), 'run', run.again ? `${clock(run.start)}: re-entered` : null));
      if (run.again) nodes.push(svg('line', { class: 'again', x1: this.x(run.start), x2: this.x(run.start), y1: base + 8, y2: base + 24, stroke: 'var(--ink)', 'stroke-width': 1.5, 'stroke-dasharray': '2 2' }));
    }
    for (const span of data.dropped) {
      const label = `${clock(span.start)} to ${clock(span.end)}: ${span.reason || 'dropped'}`;
      nodes.push(bar(span.start, span.end, base + (span.biopsy ? 46 : 28), span.biopsy ? 'var(--ink)' : 'var(--dropped)', span.biopsy ? 'biopsy' : 'dropped', label));
    }
    return nodes;
  }

  marks() {
    const at = (time) => stateAt(time)?.loc ?? 0;
    const seen = this.review.now.sightings.map(({ kind, time_s: time }) => svg('path', { class: 'sighting', d: `M${this.x(time)} ${this.y(at(time)) - 7}l6 7l-6 7l-6 -7Z`, fill: 'var(--accent)', stroke: 'var(--card)', 'stroke-width': 1.5 },
      [svg('title', { text: `${clock(time)} ${kind}` })]));
    const said = this.review.now.comments.filter(({ time_s: time }) => time !== null).map(({ text, time_s: time }) => svg('path', { class: 'comment', d: `M${this.x(time) - 5} ${this.top + 4}h10v8h-6l-4 4Z`, fill: 'var(--accent)' },
      [svg('title', { text: `${clock(time)} ${text}` })]));
    const findings = shownFindings(this.review);
    const marks = marksOf(findings);
    const [first, last] = data.shown;
    const found = findings.filter(({ time_s: time }) => time >= first - 1 && time <= last + 1).flatMap((finding) => {
      const location = Number.isFinite(finding.location_index) ? finding.location_index : at(finding.time_s);
      const [x, y, spread] = [this.x(finding.time_s), this.y(location), finding.location_std ?? 0];
      const mark = marks.get(finding.kind);
      const bar = svg('line', { class: 'finding-spread', x1: x, x2: x, y1: this.y(clamp(location - spread, 0, 1)), y2: this.y(clamp(location + spread, 0, 1)), stroke: mark.colour, 'stroke-width': 3, 'stroke-opacity': 0.55 });
      return [bar, markAt(mark, x, y, 6, { class: 'finding', 'data-kind': finding.kind }, [svg('title', { text: `${clock(finding.time_s)} ${finding.label ?? ''}` })])];
    });
    return [...said, ...seen, ...found];
  }

  hover(event) {
    this.tip.hidden = !event;
    if (!event) return;
    const time = this.timeAt(event);
    this.tip.textContent = describe(time);
    this.tip.style.top = `${this.top - 16}px`;
    this.tip.style.left = `${clamp(this.x(time), Math.min(110, this.full / 2), Math.max(this.full - 110, this.full / 2))}px`;
  }

  update(time) {
    this.time = time;
    if (!this.cursor) return;
    const x = this.x(clamp(time, ...data.shown));
    const state = stateAt(time);
    const nodes = [svg('line', { x1: x, x2: x, y1: this.top, y2: this.top + this.height + 58, stroke: 'var(--cursor)', 'stroke-width': 1.2 })];
    if (state) nodes.push(svg('circle', { cx: x, cy: this.y(state.loc), r: 6, fill: colourOf(state.segment), stroke: 'var(--cursor)', 'stroke-width': 2 }));
    this.cursor.replaceChildren(...nodes);
    this.svg.setAttribute('aria-valuenow', time.toFixed(1));
    this.svg.setAttribute('aria-valuetext', describe(time));
  }
}
