// The board: recordings at work with their progress, and those to review, the least certain first.
import { byId, clock, data, el, percent, svg } from '/assets/report/dom.js';
import { ask, recordingAddress } from './ask.js';
import { add, chosenFiles, droppedFiles } from './sending.js';

const rows = new Map(data.rows.map((row) => [row.id, row]));
const say = (text) => { byId('live').textContent = text; };
const STATES = { new: 'To set up', queued: 'Waiting', running: 'Locating', paused: 'Paused', failed: 'Failed', uploading: 'Copying', unfinished: 'Unfinished' };

const act = (id, what, method = 'POST') => ask(recordingAddress(id, what), { method }).catch((error) => say(error.message));
const button = (text, act_, attributes = {}) => el('button', { type: 'button', class: 'small', text, onclick: act_, ...attributes });

function buttons({ id, state, files }) {
  if (!files) return [];
  const locate = (text) => button(text, () => act(id, 'queue'), { 'aria-label': `${text} ${id}` });
  const look = el('a', { class: 'button small', href: `/setup/${encodeURIComponent(id)}`, text: 'Set up', 'aria-label': `Set up ${id}` });
  const remove = button('Remove', () => { if (confirm(`Remove ${id} from the list?`)) act(id, '', 'DELETE'); }, { 'aria-label': `Remove ${id}` });
  const pause = button('Pause', () => act(id, 'pause'), { 'aria-label': `Pause ${id}` });
  const cancel = button('Cancel', () => act(id, 'cancel'), { 'aria-label': `Cancel ${id}` });
  return { new: [look, locate('Locate'), remove], queued: [pause, cancel], running: [pause, cancel], paused: [locate('Resume'), cancel], failed: [look, locate('Try again'), remove], uploading: [] }[state] ?? [];
}

function progress({ state, progress: made }) {
  if (state !== 'running') return [];
  const { share, frames_per_s: rate, left_s: left } = made;
  const words = [share === null ? '' : percent(share), rate ? `${rate.toFixed(0)} frames/s` : '', left === null ? '' : share >= 1 ? 'writing the result' : `${clock(left)} left`];
  return [el('progress', { max: 1, value: share, 'aria-label': 'Located so far' }), el('span', { class: 'note figures', text: words.filter(Boolean).join(' · ') })];
}

function workRow(row) {
  const settings = Object.entries(row.options).filter(([, value]) => value).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
  const parts = row.files > 1 ? [`${row.files} parts`] : [];
  return el('li', { class: `row ${row.state}`, tabindex: '0', 'data-id': row.id }, [
    el('span', { class: 'id', text: row.id }),
    el('span', { class: `chip ${row.state}`, text: STATES[row.state] ?? row.state }),
    el('span', { class: 'note more', text: row.note || [...parts, ...settings].join(' · ') }),
    ...progress(row),
    el('span', { class: 'row-buttons' }, buttons(row)),
  ]);
}

function sparkline(curve) {
  const known = curve.length ? curve.map((value, i) => `${(i / (curve.length - 1) * 96).toFixed(1)},${(2 + 20 * value).toFixed(1)}`).join(' ') : '';
  return svg('svg', { class: 'spark', width: 96, height: 24, viewBox: '0 0 96 24', 'aria-hidden': 'true' }, [svg('polyline', { points: known, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.4 })]);
}

const order = (a, b) => (a.reviewed_by.length > 0) - (b.reviewed_by.length > 0) || (a.certain ?? -1) - (b.certain ?? -1) || a.id.localeCompare(b.id);

function queueRow(row) {
  const link = el('a', { href: `/review/${encodeURIComponent(row.id)}`, text: row.id });
  const certain = row.certain === null ? 'no segments named' : percent(row.certain);
  return el('tr', { tabindex: '0', 'data-id': row.id }, [
    el('th', { scope: 'row' }, [link]),
    el('td', { class: 'text' }, [sparkline(row.curve), ` ${row.withdrawal_s === null || row.withdrawal_s === undefined ? '' : clock(row.withdrawal_s)}`]),
    el('td', { class: `text${row.certain === null ? ' unsure' : ''}`, text: certain, title: row.warnings }),
    el('td', { class: 'text', text: row.reviewed_by.map((name) => name || 'a person').join(', ') || '–' }),
    el('td', { class: 'text' }, [String(row.versions), ...(row.files ? [' ', el('a', { class: 'again', href: `/setup/${encodeURIComponent(row.id)}`, text: 'locate again' })] : [])]),
  ]);
}

function draw() {
  const at = document.activeElement?.closest?.('[data-id]');
  const inside = at && at !== document.activeElement ? document.activeElement.textContent : null;
  const all = [...rows.values()];
  const work = all.filter((row) => row.state !== 'finished');
  const wanted = byId('filter').value.trim().toLowerCase();
  const done = all.filter((row) => row.state === 'finished').sort(order);
  const shown = done.filter((row) => row.id.toLowerCase().includes(wanted));
  byId('at-work').replaceChildren(...work.map(workRow));
  byId('work-note').textContent = work.length ? '' : 'Nothing is waiting.';
  byId('table-note').hidden = !all.some((row) => row.files);
  byId('locate-all').hidden = !work.some((row) => row.state === 'new' || row.state === 'paused');
  document.querySelector('#queue tbody').replaceChildren(...shown.map(queueRow));
  document.querySelector('#queue').hidden = !done.length;
  byId('filter').parentElement.hidden = done.length < 8;
  const reviewed = done.filter((row) => row.reviewed_by.length).length;
  byId('queue-note').textContent = done.length ? `${reviewed} of ${done.length} reviewed` : 'No recording is located yet.';
  if (at) {
    const again = document.querySelector(`[data-id="${CSS.escape(at.dataset.id)}"]`);
    const same = inside && [...(again?.querySelectorAll('button, a') ?? [])].find((node) => node.textContent === inside);
    (same || again)?.focus({ preventScroll: true });
  }
}

// Live: rows that changed, and all ids in their order. The browser connects again by itself.
let stamp = JSON.stringify(data.rows);
function take({ rows: changed, order: ids }) {
  for (const row of changed) rows.set(row.id, row);
  const known = new Map(rows);
  rows.clear();
  for (const id of ids) if (known.has(id)) rows.set(id, known.get(id));
  const next = JSON.stringify([...rows.values()]);
  if (next !== stamp) { stamp = next; draw(); }
  if (byId('live').dataset.lost) { say(''); delete byId('live').dataset.lost; }
}
// A browser keeps few connections to one server: only a page that is seen holds one.
let events = null;
function listen() {
  events?.close();
  events = null;
  if (document.hidden) return;
  events = new EventSource('/api/events');
  events.onmessage = (event) => take(JSON.parse(event.data));
  events.onerror = () => { say('The app does not answer: is it still running?'); byId('live').dataset.lost = 'yes'; };
}
document.addEventListener('visibilitychange', listen);
addEventListener('pagehide', () => events?.close());
listen();

byId('folder').textContent = data.folder;
byId('drop').hidden = !data.takes_recordings;
byId('work').hidden = !data.takes_recordings;
byId('locate-all').addEventListener('click', () => ask('/api/queue', { method: 'POST' }).catch((error) => say(error.message)));
byId('filter').addEventListener('input', draw);
for (const [button, input] of [['choose', 'files'], ['choose-folder', 'folders']]) {
  byId(button).addEventListener('click', () => byId(input).click());
  byId(input).addEventListener('change', async ({ target }) => { await add(chosenFiles(target.files), say); target.value = ''; });
}
document.querySelectorAll('dialog [data-cancel]').forEach((node) => node.addEventListener('click', () => node.closest('dialog').close()));

// The whole page takes what is dropped.
for (const kind of ['dragenter', 'dragover']) addEventListener(kind, (event) => { event.preventDefault(); document.body.classList.add('over'); });
addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('over'); });
addEventListener('drop', async (event) => {
  event.preventDefault();
  document.body.classList.remove('over');
  add(await droppedFiles(event.dataTransfer), say);
});

function walk(step) {
  const all = [...document.querySelectorAll('[data-id]')];
  const at = all.indexOf(document.activeElement.closest('[data-id]'));
  all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
}
function openRow(id) {
  const row = rows.get(id);
  if (row?.state === 'finished') location.href = `/review/${encodeURIComponent(id)}`;
  else if (row?.files && ['new', 'failed', 'paused'].includes(row.state)) location.href = `/setup/${encodeURIComponent(id)}`;
}
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, dialog')) return;
  const row = event.target.closest('[data-id]');
  if (event.key === 'ArrowDown' || event.key === 'j') walk(1);
  else if (event.key === 'ArrowUp' || event.key === 'k') walk(-1);
  else if (event.key === 'Enter' && row === event.target) openRow(row.dataset.id);
  else if (event.key === 'p' && row) act(row.dataset.id, ['running', 'queued'].includes(rows.get(row.dataset.id)?.state) ? 'pause' : 'queue');
  else if (event.key === 'a') byId('choose').click();
  else return;
  event.preventDefault();
});
draw();
