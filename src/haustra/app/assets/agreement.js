// How far readers agree with each other and with Haustra: kappa for each segment, boundaries in seconds.
import { byId, capital, el, swatch } from '/assets/report/dom.js';
import { ask } from './ask.js';

const figure = (value, digits) => (value === null || value === undefined ? '–' : value.toFixed(digits));
const heads = ['Kappa', 'Entered: median, s', 'largest, s', 'recordings'];

function row(name, label, kappa, entered) {
  const cells = [figure(kappa, 2), figure(entered?.median_s, 1), figure(entered?.largest_s, 1), entered ? String(entered.count) : ''];
  return el('tr', {}, [el('th', { scope: 'row' }, [el('span', { class: 'name' }, [...(name ? [swatch(name)] : []), label])]), ...cells.map((text) => el('td', { text }))]);
}

// The first segment is entered when the withdrawal starts; its stop is entered last and is no segment.
function pair({ a, b, recordings, seconds, overall, segments, boundaries }) {
  const rows = Object.entries(segments).map(([name, kappa]) => row(name, name === 'cecum' ? 'Cecum (start)' : capital(name), kappa, boundaries[name]));
  const table = el('table', {}, [
    el('thead', {}, [el('tr', {}, [el('th', { text: 'Segment' }), ...heads.map((text) => el('th', { scope: 'col', text }))])]),
    el('tbody', {}, [...rows, row(null, 'End', null, boundaries.stop)]),
    el('tfoot', {}, [row(null, 'All segments', overall)]),
  ]);
  const count = `${recordings.length} recording${recordings.length > 1 ? 's' : ''}, ${Math.round(seconds)} s: ${recordings.join(', ')}`;
  return el('section', {}, [el('h2', { text: `${a} and ${b}` }), el('p', { class: 'note', text: count }), el('div', { class: 'scroll' }, [table])]);
}

ask('/api/agreement').then(({ pairs, skipped }) => {
  byId('said').textContent = [pairs.length ? '' : 'No recording is marked as reviewed yet: tick “All is looked at and right” in a review, then save.', ...skipped].filter(Boolean).join(' ');
  byId('pairs').replaceChildren(...pairs.map(pair));
}).catch((error) => { byId('said').textContent = error.message; });
