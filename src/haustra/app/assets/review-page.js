// The report page in the app: the same modules, and a bar above them.
import { byId, data, el } from '/assets/report/dom.js';
import '/assets/report/main.js';

document.title = `${data.id} · Haustra`;
const at = data.queue.indexOf(data.id);
const next = data.queue[at + 1];
byId('queue-place').textContent = at < 0 ? '' : `${at + 1} of ${data.queue.length}, least certain first`;
byId('next').hidden = next === undefined;
if (next !== undefined) byId('next').href = `/review/${encodeURIComponent(next)}${data.blind ? '?blind' : ''}`;
byId('blind').href = `/review/${encodeURIComponent(data.id)}${data.blind ? '' : '?blind'}`;
byId('blind').textContent = data.blind ? 'Show what others said' : 'Read blind';
byId('blind').title = data.blind ? 'You see Haustra’s own result; what you save is a reading of its own' : 'Begin from Haustra’s own result, without what others said';
// Exports are those of the newest version that was saved.
byId('formats').replaceChildren(...Object.entries(data.formats).map(([name, words]) => el('li', {}, [
  el('a', { href: `/api/recordings/${encodeURIComponent(data.id)}/export/${name}`, download: '' }, [el('b', { text: name }), ` ${words}`])])));
document.addEventListener('click', (event) => { if (!event.target.closest('#exports') || event.target.closest('#formats a')) byId('exports').open = false; });
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') byId('exports').open = false;
  if (event.key === ']' && !event.target.closest('input, textarea, select, dialog')) byId('next').click();
});
