// The parts of the page that are words and tables.
const jump = (time, seek, children) => el('button', { class: 'jump', type: 'button', onclick: () => seek(time) }, children);

function showHead() {
  document.title = `${data.title} · Haustra report`;
  byId('title').textContent = data.title;
  byId('subtitle').textContent = data.subtitle;
  byId('facts').append(...data.facts.map((fact) => el('div', {}, [
    el('dt', { text: fact.label }), el('dd', { text: fact.value }), el('dd', { text: fact.note })])));
  if (!data.placed) showProgressOnly();
}

// Where no segment is named the location index is progress through the recording: nothing may look like a place.
function showProgressOnly() {
  for (const id of ['map', 'bars', 'figures-section']) byId(id).hidden = true;
  byId('curve-title').textContent = 'Progress through the recording';
  byId('strip-title').textContent = 'Along the way';
  byId('strip-note').textContent = 'Frames evenly spaced in progress, not in time.';
}

function headRow(names) {
  return el('thead', {}, [el('tr', {}, names.map(([text, kind]) => el('th', { scope: 'col', text, class: kind })))]);
}

function meter(share) {
  const inner = el('i');
  inner.style.width = `${100 * clamp(share || 0, 0, 1)}%`;
  return el('span', { class: 'meter', 'aria-hidden': 'true' }, [inner]);
}

function showFigures(seek) {
  const rows = data.figures.map((figure) => {
    const first = data.curve.seg.indexOf(segmentIndex(figure.segment));
    const name = [swatch(figure.segment), capital(figure.segment)];
    const speed = figure.speed_percent_per_min;
    return el('tr', {}, [
      el('th', { scope: 'row' }, first < 0 ? name : [jump(data.curve.t[first], seek, name)]),
      el('td', { text: clock(figure.time_s) }),
      el('td', { text: speed === null ? '–' : `${speed.toFixed(speed < 10 ? 1 : 0)}\u00a0%` }),
      el('td', {}, [percent(figure.share_dropped), meter(figure.share_dropped)]),
      el('td', {}, [percent(figure.mean_probability), meter(figure.mean_probability)])]);
  });
  byId('figures').append(headRow([['Segment', 'text'], ['Time'], ['Speed per min'], ['Dropped'], ['Certainty']]), el('tbody', {}, rows));
}

function showBorders(seek) {
  if (!data.borders.length) return;
  byId('borders-section').hidden = false;
  const rows = data.borders.map((border) => el('tr', {}, [
    el('th', { scope: 'row' }, [jump(border.t, seek, [swatch(border.segment), capital(border.segment)])]),
    el('td', { text: clock(border.t) }),
    el('td', { text: `${clock(border.between[0])}–${clock(border.between[1])}` }),
    el('td', { class: 'text wrap', text: border.decided_by })]));
  byId('borders').append(headRow([['Entered', 'text'], ['At'], ['Between'], ['Decided by', 'text']]), el('tbody', {}, rows));
}

function showStrip(seek) {
  byId('strip').append(...data.strip.map((item) => {
    const rule = el('span', { class: 'rule', 'aria-hidden': 'true' });
    rule.style.background = colourOf(item.seg);
    return el('li', {}, [el('button', { type: 'button', onclick: () => seek(item.t) }, [
      el('img', { src: item.src, alt: `Frame ${item.seg ? `in ${item.seg} ` : ''}at ${clock(item.t)}` }), rule,
      el('span', { class: 'where', text: item.seg ? `${capital(item.seg)} ${item.loc.toFixed(2)}` : percent(item.loc) }),
      el('span', { class: 'when', text: clock(item.t) })])]);
  }));
  if (!data.strip.length) byId('strip').replaceWith(el('p', { class: 'note', text: 'No frames were taken out of the recording for this report.' }));
}

function markStrip(time) {
  const nearest = data.strip.indexOf(nearestStill(time));
  byId('strip')?.querySelectorAll('button').forEach((button, i) => {
    if (i === nearest) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current');
  });
}

function showFindings(seek) {
  if (!data.findings.length) return;
  byId('findings-section').hidden = false;
  const number = (x, digits) => (Number.isFinite(x) ? x.toFixed(digits) : '–');
  const rows = data.findings.map((finding) => el('tr', {}, [
    el('th', { scope: 'row' }, [jump(finding.time_s, seek, [clock(finding.time_s)])]),
    el('td', { class: 'text wrap', text: String(finding.label ?? '') }),
    el('td', { text: typeof finding.score === 'number' ? number(finding.score, 2) : String(finding.score ?? '–') }),
    el('td', { class: 'text name' }, finding.segment ? [swatch(finding.segment), capital(String(finding.segment))] : ['–']),
    el('td', { text: number(finding.location_index, 2) }),
    el('td', { text: percent(finding.p_segment) })]));
  byId('findings').append(headRow([['Time', 'text'], ['Label', 'text'], ['Score'], ['Segment', 'text'], ['Location'], ['Certainty']]), el('tbody', {}, rows));
  if (data.more_findings) byId('findings').createCaption().textContent = `The ${data.findings.length} findings with the highest scores; ${data.more_findings} more are in the table of findings.`;
}

function showUncertain(seek) {
  const warnings = data.warnings.map((text) => el('li', { class: 'warning', text }));
  const places = data.uncertain.map((note) => el('li', {}, [jump(note.t, seek, [note.when]), ` ${note.text}`]));
  const nothing = el('li', { text: 'Nothing out of the ordinary.' });
  byId('uncertain').append(...(warnings.length + places.length ? [...warnings, ...places] : [nothing]));
}

function showAbout() {
  byId('about').append(...data.about.map(({ group, rows }) => el('section', {}, [
    el('h3', { text: group }),
    el('dl', {}, rows.map(([name, value]) => el('div', {}, [el('dt', { text: name }), el('dd', { text: value })])))])));
}

// The words and bars beside the map.
class Readout {
  constructor() {
    this.bars = data.segments.map(({ name, colour }) => {
      const filled = el('div', { class: 'fill' });
      filled.style.background = colour;
      const value = el('span', { class: 'percent' });
      const row = el('div', {}, [el('dt', {}, [swatch(name), capital(name)]), el('div', { class: 'track', 'aria-hidden': 'true' }, [filled]), el('dd', {}, [value])]);
      return { row, filled, value };
    });
    byId('bars').append(...this.bars.map((bar) => bar.row));
    this.segment = null;
  }

  update(time) {
    const state = stateAt(time);
    if (!state) { byId('now-segment').textContent = 'No place known'; return; }
    const name = data.segments[state.segment]?.name ?? 'no segment named';
    byId('now-segment').textContent = capital(name);
    byId('now-swatch').style.background = colourOf(name);
    const spread = (state.hi - state.lo) / 2;
    byId('now-detail').textContent = (data.placed ? `Location ${state.loc.toFixed(2)} ± ${spread.toFixed(2)} (0 cecum, 1 rectum)` : `Progress ${percent(state.loc)}`)
      + (state.drop ? `. Frame dropped: ${state.drop.reason || 'no reason given'}` : '');
    this.bars.forEach(({ row, filled, value }, i) => {
      filled.style.width = `${100 * state.probability[i]}%`;
      value.textContent = percent(state.probability[i]);
      row.classList.toggle('on', i === state.segment);
    });
    if (this.segment !== null && this.segment !== name) byId('announce').textContent = `${clock(time)}: ${name}`;
    this.segment = name;
  }
}
