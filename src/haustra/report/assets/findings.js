// Findings to show: those that came with the result, and those that the reader noted, at the place of their frame.
// Each kind has a shape and a colour of its own, on curve, map and table.
import { data, el, svg } from './dom.js';
import { stateAt } from './lookup.js';

const DETECTED = 'detected';

// As `Finding.shown_kind` of the package: abbreviations keep their capitals.
const kindOf = (label) => {
  const kind = label.split(/[,;:(\d]/)[0].trim() || label;
  const small = kind.toLowerCase();
  return kind === kind.toUpperCase() && kind !== small && small !== 'biopsy' ? kind : small;
};

const noted = (finding) => {
  const state = stateAt(finding.time_s);
  const size = finding.size_mm ? `, ${finding.size_mm} mm` : '';
  return {
    time_s: finding.time_s,
    label: `${finding.kind}${size}${finding.note ? `: ${finding.note}` : ''}`,
    kind: kindOf(finding.kind),
    score: null,
    location_index: state ? state.loc : null,
    location_std: state ? (state.hi - state.lo) / 2 : null,
    segment: state ? data.segments[state.segment]?.name ?? null : null,
    p_segment: state && state.segment >= 0 ? state.probability[state.segment] : null,
    noted: true,
  };
};

const apart = (biopsy, finding) => Math.max(Math.abs(biopsy.time_s - finding.time_s) - (biopsy.lasts_s ?? 0) / 2, 0);

// A biopsy that was detected within seconds of a finding is one event with it.
export function shownFindings(review) {
  const own = review.now.findings.map(noted);
  const given = data.findings.filter((finding) => {
    if (finding.by !== DETECTED || !own.length) return true;
    const nearest = own.reduce((a, b) => (apart(finding, b) < apart(finding, a) ? b : a));
    if (apart(finding, nearest) > data.same_event_s) return true;
    nearest.biopsied = true;
    return false;
  });
  return [...given, ...own].sort((a, b) => a.time_s - b.time_s);
}

// What it is in words; of a detected biopsy how long forceps were seen.
export function wordsOf(finding) {
  if (finding.by === DETECTED) return finding.lasts_s >= 1 ? `forceps seen for ${Math.round(finding.lasts_s)} s` : 'forceps seen';
  const label = String(finding.label ?? '');
  const size = finding.size_mm && !/\d\s*mm/.test(label) ? `, ${finding.size_mm} mm` : '';
  const note = finding.note ? `: ${finding.note}` : '';
  return `${label}${size}${note}${finding.biopsied && finding.kind !== 'biopsy' ? ' (biopsy taken)' : ''}`;
}

// Shape and colour of each kind, in the order in which they were found.
export function marksOf(findings) {
  const marks = data.finding_marks;
  const kinds = [...new Set(findings.map((finding) => finding.kind))].filter((kind) => kind !== 'biopsy');
  const found = new Map(kinds.map((kind, i) => [kind, marks[Math.min(i, marks.length - 2)]]));
  if (findings.some((finding) => finding.kind === 'biopsy')) found.set('biopsy', marks[marks.length - 1]);
  return found;
}

// The mark of a kind at a place of a drawing.
export function markAt({ outline, colour }, x, y, radius, attributes, children) {
  const points = outline.map(([dx, dy]) => `${(x + radius * dx).toFixed(1)},${(y + radius * dy).toFixed(1)}`).join(' ');
  return svg('polygon', { points, fill: colour, stroke: '#ffffff', 'stroke-width': radius * 0.3, 'paint-order': 'stroke', 'stroke-linejoin': 'round', ...attributes }, children);
}

export const markIcon = (mark) => svg('svg', { class: 'mark', viewBox: '-8 -8 16 16', width: 16, height: 16, 'aria-hidden': 'true' }, [markAt(mark, 0, 0, 5.5)]);

// Under map and curve; where no segment is named there is no map.
export function showLegend(review) {
  const marks = marksOf(shownFindings(review));
  const entries = () => [...marks].map(([kind, mark]) => el('li', {}, [markIcon(mark), kind]));
  for (const list of document.querySelectorAll('.finding-legend')) {
    list.hidden = !marks.size || (!data.placed && list.closest('.place') !== null);
    list.replaceChildren(...entries());
  }
}
