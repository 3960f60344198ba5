// Where corrections go: to the server of the app, or, from a file on disk, into a file to apply.
import { data, el } from './dom.js';

export const inApp = () => Boolean(data.review.save);

async function send(address, body, headers) {
  const answer = await fetch(address, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } });
  const value = await answer.json().catch(() => ({ error: `the app answered ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(value.error), { status: answer.status });
  return value;
}

// The page as it is once these corrections count; nothing is saved.
export const preview = (file) => send(data.review.preview, file, {});
// One more version; refused where another was saved meanwhile.
export const save = (file) => send(data.review.save, file, { 'If-Match': `"${data.review.newest}"` });

export function download(file) {
  const address = URL.createObjectURL(new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }));
  const link = el('a', { href: address, download: 'annotations.json' });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// What is not saved yet survives a closed window; some browsers keep nothing for files on disk.
const key = () => `haustra ${data.review.recording} ${data.review.version}`;
export function keepDraft(now) {
  try { if (now) localStorage.setItem(key(), JSON.stringify(now)); else localStorage.removeItem(key()); } catch { /* not kept */ }
}
export function keptDraft() {
  try { return JSON.parse(localStorage.getItem(key()) ?? 'null'); } catch { return null; }
}
// From a page that was overtaken to the same page with the newer version.
const carrier = () => `haustra carried ${data.review.recording}`;
export function carry(base, mine) {
  try { sessionStorage.setItem(carrier(), JSON.stringify({ base, mine })); } catch { /* not kept */ }
}
export function takeCarried() {
  try {
    const carried = JSON.parse(sessionStorage.getItem(carrier()) ?? 'null');
    sessionStorage.removeItem(carrier());
    return carried;
  } catch { return null; }
}
export function readerName(name) {
  try {
    if (name !== undefined) localStorage.setItem('haustra reader', name);
    return localStorage.getItem('haustra reader') ?? '';
  } catch { return name ?? ''; }
}
