// Location over time: segment bands, uncertainty band, lanes for segment, dropped stretches and biopsies.
class Curve {
  constructor(holder, seek) {
    this.holder = holder;
    this.seek = seek;
    this.tip = el('div', { class: 'tip', hidden: '', 'aria-hidden': 'true' });
    this.svg = svg('svg', { role: 'slider', tabindex: '0', 'aria-label': 'Location over time',
      'aria-valuemin': data.span[0], 'aria-valuemax': data.span[1] });
    holder.append(this.svg, this.tip);
    this.svg.addEventListener('pointerdown', (event) => { holder.classList.add('pointed'); this.drag = true; this.svg.setPointerCapture(event.pointerId); this.jump(event); });
    this.svg.addEventListener('pointermove', (event) => { if (this.drag) this.jump(event); this.hover(event); });
    this.svg.addEventListener('pointerup', () => { this.drag = false; });
    this.svg.addEventListener('pointercancel', () => { this.drag = false; });
    this.svg.addEventListener('keydown', () => holder.classList.remove('pointed'));
    this.svg.addEventListener('pointerleave', () => this.hover(null));
    byId('scopeguide-key').hidden = !data.curve.scopeguide_index;
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  x(time) { return this.left + (time - data.span[0]) / Math.max(data.span[1] - data.span[0], 1e-9) * this.width; }
  y(location) { return this.top + location * this.height; }
  timeAt(event) {
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    return clamp(data.span[0] + (x - this.left) / this.width * (data.span[1] - data.span[0]), ...data.span);
  }

  jump(event) { this.seek(this.timeAt(event)); }

  draw() {
    const full = this.holder.clientWidth;
    if (!full || full === this.full) return;
    this.full = full;
    this.left = full < 560 ? 84 : 92;
    this.top = 8;
    this.width = Math.max(full - this.left - 10, 20);
    this.height = full < 560 ? 220 : 270;
    const total = this.top + this.height + 84;
    this.svg.setAttribute('height', total);
    this.svg.setAttribute('viewBox', `0 0 ${full} ${total}`);
    this.cursor = svg('g', { class: 'cursor', 'pointer-events': 'none' });
    this.svg.replaceChildren(...this.bands(), ...this.ticks(), this.uncertainty(), ...this.scopeguide(), this.line(), ...this.lanes(), ...this.marks(), this.cursor);
    if (this.time !== undefined) this.update(this.time);
  }

  bands() {
    if (!data.placed) return this.scale();
    const edges = data.boundaries;
    return data.segments.flatMap(({ name, colour }, i) => {
      const [from, to] = [this.y(edges[i]), this.y(edges[i + 1])];
      const band = svg('rect', { class: 'band', x: this.left, y: from, width: this.width, height: Math.max(to - from, 0), fill: colour, 'fill-opacity': 0.13 });
      const key = svg('rect', { x: this.left - 5, y: from + 0.5, width: 4, height: Math.max(to - from - 1, 0), fill: colour });
      const label = svg('text', { x: this.left - 11, y: (from + to) / 2 + 4, 'text-anchor': 'end', text: capital(name) });
      return to - from >= 12 ? [band, key, label] : [band, key];
    });
  }

  // Progress through a part of a colon: no segment lies anywhere on it.
  scale() {
    return [0, 0.5, 1].flatMap((share) => [
      svg('line', { x1: this.left, x2: this.left + this.width, y1: this.y(share), y2: this.y(share), stroke: 'var(--line)' }),
      svg('text', { x: this.left - 11, y: this.y(share) + 4, 'text-anchor': 'end', text: percent(share) })]);
  }

  ticks() {
    const [start, end] = data.span;
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
    const { t, lo, hi } = data.curve;
    const there = t.map((time, i) => `${this.x(time).toFixed(1)},${this.y(lo[i]).toFixed(1)}`);
    const back = t.map((time, i) => `${this.x(time).toFixed(1)},${this.y(hi[i]).toFixed(1)}`).reverse();
    return svg('polygon', { class: 'spread', points: [...there, ...back].join(' '), fill: 'var(--ink)', 'fill-opacity': 0.16 });
  }

  // The location index of ScopeGuide's inserted length, where the user gave a track.
  scopeguide() {
    const { t, scopeguide_index: index } = data.curve;
    if (!index) return [];
    const points = t.map((time, i) => `${this.x(time).toFixed(1)},${this.y(index[i]).toFixed(1)}`).join(' ');
    return [svg('polyline', { class: 'scopeguide', points, fill: 'none', stroke: 'var(--accent)', 'stroke-width': 1.6, 'stroke-dasharray': '6 4' })];
  }

  line() {
    const { t, loc } = data.curve;
    const points = t.map((time, i) => `${this.x(time).toFixed(1)},${this.y(loc[i]).toFixed(1)}`).join(' ');
    return svg('polyline', { class: 'line', points, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.8, 'stroke-linejoin': 'round' });
  }

  lanes() {
    const base = this.top + this.height;
    const bar = (from, to, y, colour, name, label) => svg('rect', { class: name, x: this.x(from), y, height: 12, fill: colour,
      width: Math.max(this.x(Math.min(to, data.span[1])) - this.x(from), 1) }, label ? [svg('title', { text: label })] : []);
    const nodes = ['Segment', 'Dropped', 'Biopsy'].flatMap((name, i) => [
      svg('rect', { x: this.left, y: base + 10 + 18 * i, width: this.width, height: 12, fill: 'var(--grid)' }),
      svg('text', { x: this.left - 11, y: base + 20 + 18 * i, 'text-anchor': 'end', text: name })]);
    for (const run of segmentRuns()) nodes.push(bar(run.start, run.end, base + 10, colourOf(run.segment), 'run'));
    for (const span of data.dropped) {
      const label = `${clock(span.start)} to ${clock(span.end)}: ${span.reason || 'dropped'}`;
      nodes.push(bar(span.start, span.end, base + (span.biopsy ? 46 : 28), span.biopsy ? 'var(--ink)' : 'var(--dropped)', span.biopsy ? 'biopsy' : 'dropped', label));
    }
    return nodes;
  }

  marks() {
    return data.findings.filter((finding) => Number.isFinite(finding.time_s)).map((finding) => {
      const state = stateAt(finding.time_s);
      const location = Number.isFinite(finding.location_index) ? finding.location_index : state ? state.loc : 0;
      return svg('circle', { class: 'finding', cx: this.x(finding.time_s), cy: this.y(location), r: 5, fill: 'var(--card)', stroke: 'var(--ink)', 'stroke-width': 2 },
        [svg('title', { text: `${clock(finding.time_s)} ${finding.label ?? ''}` })]);
    });
  }

  hover(event) {
    this.tip.hidden = !event;
    if (!event) return;
    const time = this.timeAt(event);
    this.tip.textContent = describe(time);
    this.tip.style.top = `${this.top}px`;
    this.tip.style.left = `${clamp(this.x(time), Math.min(110, this.full / 2), Math.max(this.full - 110, this.full / 2))}px`;
  }

  update(time) {
    this.time = time;
    if (!this.cursor) return;
    const x = this.x(clamp(time, ...data.span));
    const state = stateAt(time);
    const nodes = [svg('line', { x1: x, x2: x, y1: this.top, y2: this.top + this.height + 58, stroke: 'var(--cursor)', 'stroke-width': 1.2 })];
    if (state) nodes.push(svg('circle', { cx: x, cy: this.y(state.loc), r: 6, fill: colourOf(state.segment), stroke: 'var(--cursor)', 'stroke-width': 2 }));
    this.cursor.replaceChildren(...nodes);
    this.svg.setAttribute('aria-valuenow', time.toFixed(1));
    this.svg.setAttribute('aria-valuetext', describe(time));
  }
}

// What is true at one time, in words.
function describe(time) {
  const state = stateAt(time);
  if (!state) return clock(time);
  const segment = data.segments[state.segment];
  const named = segment ? `${segment.name} ${percent(state.probability[state.segment])} · ` : '';
  const base = `${clock(time)} · ${named}${data.placed ? `location ${state.loc.toFixed(2)}` : `progress ${percent(state.loc)}`}`;
  return state.drop ? `${base} · ${state.drop.reason || 'dropped'}` : base;
}

function segmentRuns() {
  const { t, seg } = data.curve;
  const runs = [];
  seg.forEach((segment, i) => {
    const last = runs[runs.length - 1];
    const end = i + 1 < t.length ? t[i + 1] : data.span[1];
    if (last && last.segment === segment) last.end = end; else runs.push({ segment, start: t[i], end });
  });
  return runs;
}
