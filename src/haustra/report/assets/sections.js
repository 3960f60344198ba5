// The parts of the page that are words and tables. Each can be drawn again when a correction changes what it says.
import { byId, capital, clamp, clock, colourOf, data, el, percent, segmentIndex, swatch } from './dom.js';
import { markIcon, marksOf, showLegend, shownFindings, wordsOf } from './findings.js';
import { firstIn, stateAt } from './lookup.js';
import { nearestStill } from './player.js';

export const jump = (time, seek, children) => el('button', { class: 'jump', type: 'button', onclick: () => seek(time) }, children);

const factList = (facts) => facts.map((fact) => el('div', {}, [
  el('dt', { text: fact.label }), el('dd', { text: fact.value }), el('dd', { text: fact.note })]));

function showHead() {
  document.title = `${data.title} · Haustra report`;
  byId('title').textContent = data.title;
  byId('subtitle').textContent = data.subtitle;
  byId('purpose').textContent = data.purpose;
  byId('facts').replaceChildren(...factList(data.facts));
  showProgressOnly(!data.placed);
}

// Where no segment is named the location index is progress through the recording: nothing may look like a place.
function showProgressOnly(only) {
  for (const id of ['map', 'bars', 'figures-section']) byId(id).hidden = only;
  byId('curve-title').textContent = only ? 'Progress through the recording' : 'Location over time';
  byId('strip-title').textContent = only ? 'Along the way' : 'Along the colon';
  byId('strip-note').textContent = only ? 'Frames evenly spaced in progress, not in time.'
    : 'Frames evenly spaced in location, not in time: each part of the colon gets the same room.';
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
    const first = firstIn(segmentIndex(figure.segment));
    const name = [swatch(figure.segment), capital(figure.segment)];
    const speed = figure.speed_percent_per_min;
    return el('tr', {}, [
      el('th', { scope: 'row' }, first === null ? name : [jump(first, seek, name)]),
      el('td', { text: clock(figure.time_s) }),
      el('td', { text: clock(figure.net_s) }),
      el('td', { text: speed === null ? '–' : `${speed.toFixed(speed < 10 ? 1 : 0)}\u00a0%, ${figure.pace}` }),
      el('td', {}, [percent(figure.share_dropped), meter(figure.share_dropped)]),
      el('td', {}, [percent(figure.mean_probability), meter(figure.mean_probability)])]);
  });
  byId('figures').replaceChildren(headRow([['Segment', 'text'], ['Time'], ['Net'], ['Speed per min'], ['Dropped'], ['Probability']]), el('tbody', {}, rows));
}

function showBoundaries(seek, review) {
  byId('boundaries-section').hidden = !data.boundaries.length;
  const entered = data.boundaries.map((boundary) => [boundary.t, el('tr', {}, [
    el('th', { scope: 'row' }, [jump(boundary.t, seek, [swatch(boundary.segment), capital(boundary.segment)])]),
    el('td', { text: clock(boundary.t) }),
    el('td', { text: boundary.between && boundary.between[0] < boundary.between[1] ? `${clock(boundary.between[0])}–${clock(boundary.between[1])}` : '–' }),
    el('td', { class: 'text', text: data.review.authors[boundary.segment] ?? capital(boundary.set_by) }),
    el('td', { class: 'text wrap', text: (data.review.authors[boundary.segment] ? '' : boundary.decided_by) || '–' })])]);
  const why = (run, before) => (run.segment < before?.segment ? 'the scope was pushed back in' : 'the scope was drawn back again');
  const again = data.runs.flatMap((run, i) => (!run.again ? [] : [[run.start, el('tr', { class: 'again' }, [
    el('th', { scope: 'row' }, [jump(run.start, seek, [swatch(run.segment), `${capital(data.segments[run.segment].name)}, re-entered`])]),
    el('td', { text: clock(run.start) }), el('td', { text: '–' }), el('td', { class: 'text', text: '–' }), el('td', { class: 'text wrap', text: why(run, data.runs[i - 1]) })])]]));
  const rows = [...entered, ...again].sort((a, b) => a[0] - b[0]).map(([, row]) => row);
  byId('boundaries').replaceChildren(headRow([['Entered', 'text'], ['At'], ['Between'], ['Set by', 'text'], ['Decided by', 'text']]), el('tbody', {}, rows));
  byId('boundaries-stale').hidden = !review.changed || Boolean(data.review.save);
}

function showStrip(seek) {
  if (!data.strip.length) {
    byId('strip').replaceWith(el('p', { class: 'note', text: 'No frames were taken out of the recording for this report.' }));
    return;
  }
  byId('strip').replaceChildren(...data.strip.map((item) => {
    const segment = stateAt(item.t)?.segment ?? -1;
    const name = data.segments[segment]?.name;
    const rule = el('span', { class: 'rule', 'aria-hidden': 'true' });
    rule.style.background = colourOf(segment);
    return el('li', {}, [el('button', { type: 'button', onclick: () => seek(item.t) }, [
      el('img', { src: item.src, alt: `Frame ${name ? `in ${name} ` : ''}at ${clock(item.t)}` }), rule,
      el('span', { class: 'where', text: name ? `${capital(name)} ${item.loc.toFixed(2)}` : percent(item.loc) }),
      el('span', { class: 'when', text: clock(item.t) })])]);
  }));
}

export function markStrip(time) {
  const nearest = data.strip.indexOf(nearestStill(time));
  byId('strip')?.querySelectorAll('button').forEach((button, i) => {
    if (i === nearest) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current');
  });
}

function showFindings(seek, review) {
  const findings = shownFindings(review);
  byId('findings-section').hidden = !findings.length;
  const number = (x, digits) => (Number.isFinite(x) ? x.toFixed(digits) : '–');
  const marks = marksOf(findings);
  const scored = findings.some((finding) => typeof finding.score === 'number');
  showLegend(review);
  const rows = findings.map((finding) => el('tr', {}, [
    el('th', { scope: 'row' }, [jump(finding.time_s, seek, [clock(finding.time_s)])]),
    el('td', { class: 'text name' }, [markIcon(marks.get(finding.kind)), finding.kind]),
    el('td', { class: 'text wrap', text: wordsOf(finding) }),
    ...(scored ? [el('td', { text: number(finding.score, 2) })] : []),
    el('td', { class: 'text name' }, placeOf(finding)),
    el('td', { text: finding.location_std > 0 ? `${number(finding.location_index, 2)} ± ${number(finding.location_std, 2)}` : number(finding.location_index, 2) }),
    el('td', { text: percent(finding.p_segment) })]));
  byId('findings').replaceChildren(headRow([['Time', 'text'], ['Kind', 'text'], ['What', 'text'], ...(scored ? [['Score']] : []), ['Segment', 'text'], ['Location'], ['Probability']]), el('tbody', {}, rows));
  if (data.more_findings) byId('findings').createCaption().textContent = `The ${data.findings.length} findings with the highest scores; ${data.more_findings} more are in the table of findings.`;
}

function placeOf(finding) {
  if (finding.segment) return [swatch(finding.segment), capital(String(finding.segment))];
  return [Number.isFinite(finding.location_index) ? '–' : 'outside the withdrawal'];
}

function showUncertain(seek) {
  const warnings = data.warnings.map((text) => el('li', { class: 'warning', text }));
  const places = data.uncertain.map((note) => el('li', {}, [jump(note.t, seek, [note.when]), ` ${note.text}`]));
  const nothing = el('li', { text: 'Nothing out of the ordinary.' });
  byId('uncertain').replaceChildren(...(warnings.length + places.length ? [...warnings, ...places] : [nothing]));
}

// Stretches that were passed so fast that they are worth a second look.
function showFastest(seek) {
  byId('fastest-section').hidden = !data.fastest.length;
  byId('fastest').replaceChildren(...data.fastest.map((note) => el('li', {}, [jump(note.t, seek, [note.when]), ` ${note.text}`])));
}

function showMethods() {
  byId('methods-section').hidden = !data.methods.length;
  byId('methods').replaceChildren(...data.methods.map((text) => el('p', { text })));
}

function showLevels() {
  byId('levels-section').hidden = !data.levels.length;
  byId('levels').replaceChildren(
    headRow([['At least this probable'], ['Named'], ['Of it right']]),
    el('tbody', {}, data.levels.map(({ level, share, expected_accuracy: right }) => el('tr', {}, [
      el('th', { scope: 'row', text: percent(level) }), el('td', { text: percent(share) }), el('td', { text: right === null ? '–' : percent(right) })]))));
}

function showSuitability() {
  const { facts, lens } = data.suitability;
  byId('suitability-section').hidden = !facts.length;
  byId('suitability').replaceChildren(...factList(facts));
  byId('lens-pictures').replaceChildren(...lens.map(({ src, caption }) => el('figure', {}, [
    el('img', { src, alt: `A frame ${caption}` }), el('figcaption', { class: 'note', text: caption })])));
}

function showAbout() {
  byId('about').replaceChildren(...data.about.map(({ group, rows, folded }) => {
    const list = el('dl', {}, rows.map(([name, value]) => el('div', {}, [el('dt', { text: name }), el('dd', { text: value })])));
    const head = el('h3', { text: group });
    return el('section', {}, folded ? [el('details', {}, [el('summary', {}, [head, el('span', { class: 'note', text: ` ${rows.length} ${rows.length === 1 ? 'entry' : 'entries'}` })]), list])] : [head, list]);
  }));
}

// Every section of the page; a new one is a function above and a line here.
export function showSections(seek, review) {
  showHead();
  showFigures(seek);
  showBoundaries(seek, review);
  showStrip(seek);
  showFindings(seek, review);
  showFastest(seek);
  showUncertain(seek);
  showMethods();
  showLevels();
  showSuitability();
  showAbout();
}

// The words and bars beside the map.
export class Readout {
  constructor() {
    this.bars = data.segments.map(({ name, colour }) => {
      const filled = el('div', { class: 'fill' });
      filled.style.background = colour;
      const value = el('span', { class: 'percent' });
      const row = el('div', {}, [el('dt', {}, [swatch(name), capital(name)]), el('dd', {}, [el('span', { class: 'track', 'aria-hidden': 'true' }, [filled]), value])]);
      return { row, filled, value };
    });
    byId('bars').append(...this.bars.map((bar) => bar.row));
    this.segment = null;
  }

  update(time) {
    const state = stateAt(time);
    const name = state ? data.segments[state.segment]?.name ?? (data.abstains ? 'unsure' : 'no segment named') : 'No place known';
    byId('now-segment').textContent = capital(name) + (state?.again ? ', re-entered' : '');
    byId('now-swatch').style.background = state ? colourOf(name) : 'transparent';
    byId('mini-where').textContent = capital(name);
    byId('now-detail').textContent = state ? this.detail(state) : '';
    this.bars.forEach(({ row, filled, value }, i) => {
      const share = state ? state.probability[i] : 0;
      filled.style.width = `${100 * share}%`;
      value.textContent = percent(share);
      row.classList.toggle('on', i === state?.segment);
    });
    if (this.segment !== null && this.segment !== name) byId('announce').textContent = `${clock(time)}: ${name}`;
    this.segment = name;
  }

  detail(state) {
    const spread = (state.hi - state.lo) / 2;
    return (data.placed ? `Location ${state.loc.toFixed(2)} ± ${spread.toFixed(2)} (0 cecum, 1 rectum)` : `Progress ${percent(state.loc)}`)
      + (state.drop ? `. Frame dropped: ${state.drop.reason || 'no reason given'}` : '');
  }
}
