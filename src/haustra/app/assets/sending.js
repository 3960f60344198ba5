// Recordings on their way into the app: what was dropped, in which order, and how much of it has arrived.
import { byId, el, percent } from '/assets/report/dom.js';
import { ask, recordingAddress } from './ask.js';

const inOrder = new Intl.Collator(undefined, { numeric: true });
const stem = (name) => name.replace(/\.[^.]*$/, '').replace(/[\d _.()-]+$/, '').toLowerCase();

// What was dropped or chosen, with where each file lay below the folder that was given: [{ file, steps }].
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return chosenFiles(transfer.files);
  return (await Promise.all(entries.map(filesOf))).flat();
}
export const chosenFiles = (files) => [...files].map((file) => ({ file, steps: (file.webkitRelativePath || file.name).split('/') }));

async function filesOf(entry) {
  const steps = entry.fullPath.split('/').slice(1);
  if (entry.isFile) return [{ file: await new Promise((done, failed) => { entry.file(done, failed); }), steps }];
  const reader = entry.createReader();
  const found = [];
  for (;;) { // a folder is read in batches
    const batch = await new Promise((done, failed) => { reader.readEntries(done, failed); });
    if (!batch.length) return found;
    found.push(...(await Promise.all(batch.map(filesOf))).flat());
  }
}

const isVideo = ({ file }) => !file.name.startsWith('.') && /\.(mp4|m4v|mov|mkv|webm|avi|wmv|asf|mpg|mpeg|m2v|vob|ts|mts|m2ts|mxf|ogv|dcm)$/i.test(file.name);
const folderOf = ({ steps }) => steps.slice(0, -1).join('/');
const pathOf = ({ steps }) => steps.join('/');

// Without the folders that all have in common: ids are then as those of `haustra cohort`.
function below(files) {
  const folders = files.map(({ steps }) => steps.slice(0, -1));
  let common = 0;
  while (folders.every((steps) => common < steps.length && steps[common] === folders[0][common])) common += 1;
  return files.map(({ file, steps }) => ({ file, steps: steps.slice(common), top: steps[common - 1] }));
}

// Ask how several files belong together, then send them.
export async function add(files, say) {
  const results = new Set(files.filter(({ file }) => file.name === 'frames.parquet').map(folderOf));
  if (results.size || files.some(({ file }) => file.name === 'cohort.json')) {
    say(`${files[0].steps[0]} is a folder of results: end the app and start it with this folder, haustra app FOLDER`);
    return;
  }
  const videos = below(files.filter(isVideo)).sort((a, b) => inOrder.compare(pathOf(a), pathOf(b)));
  if (!videos.length) { say(files.length ? 'There is no recording among these files' : ''); return; }
  const groups = videos.length === 1 ? apart(videos) : await grouped(videos);
  for (const group of groups) await send(group, say);
}

// A recording: the files of its parts, and the id that is proposed for it.
const apart = (videos) => videos.map((video) => ({ id: pathOf(video).replace(/\.[^.]*$/, ''), parts: [video] }));
function byFolder(videos) {
  const folders = new Map();
  for (const video of videos) folders.set(folderOf(video), [...(folders.get(folderOf(video)) ?? []), video]);
  return [...folders].map(([folder, parts]) => ({ id: folder || parts[0].top || apart(parts)[0].id, parts }));
}
const together = (videos) => [{ id: folderOf(videos[0]) || videos[0].top || apart(videos)[0].id, parts: videos }];
const WAYS = { apart, folders: byFolder, parts: together };

// The reader's answer, none where it was cancelled. What is proposed is told by the names: 1.mpg and 2.mpg are parts.
function grouped(videos) {
  const dialog = byId('parts-dialog');
  const order = [...videos];
  const folders = byFolder(videos);
  const alike = folders.every(({ parts }) => parts.length > 1 && new Set(parts.map(({ file }) => stem(file.name))).size === 1);
  byId('by-folder').hidden = folders.length < 2 || folders.length === videos.length;
  const proposed = !alike ? 'apart' : folders.length > 1 ? 'folders' : 'parts';
  dialog.querySelector(`[name=together][value=${proposed}]`).checked = true;
  const move = (i, step) => {
    const [file] = order.splice(i, 1);
    order.splice(i + step, 0, file);
    draw();
    byId('parts').children[i + step].querySelector('button:not(:disabled)')?.focus();
  };
  const draw = () => byId('parts').replaceChildren(...order.map((video, i) => el('li', {}, [
    el('span', { class: 'what', text: pathOf(video) }), el('span', { class: 'note', text: megabytes(video.file.size) }),
    el('button', { type: 'button', class: 'small', text: '↑', 'aria-label': `Earlier: ${pathOf(video)}`, disabled: i ? null : '', onclick: () => move(i, -1) }),
    el('button', { type: 'button', class: 'small', text: '↓', 'aria-label': `Later: ${pathOf(video)}`, disabled: i + 1 < order.length ? null : '', onclick: () => move(i, 1) }),
  ])));
  draw();
  dialog.returnValue = '';
  dialog.showModal();
  dialog.querySelector('[name=together]:checked').focus();
  return new Promise((done) => {
    byId('parts-form').onsubmit = () => { done(WAYS[dialog.querySelector('[name=together]:checked').value](order)); };
    dialog.onclose = () => done([]);
  });
}

const megabytes = (bytes) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)}\u00a0GB` : `${Math.max(bytes / 1e6, 0.1).toFixed(1)}\u00a0MB`);

async function send({ id: wanted, parts: videos }, say) {
  const files = videos.map(({ file }) => file);
  const name = videos.map(pathOf).join(' + ');
  const bar = el('progress', { max: 1, value: 0, 'aria-label': `Copying ${name}` });
  const note = el('span', { class: 'note' });
  const item = el('li', {}, [el('span', { class: 'what', text: name }), bar, note]);
  byId('sending').append(item);
  try {
    const parts = files.map((file) => ({ name: file.name, bytes: file.size }));
    const { id } = await ask('/api/recordings', { method: 'POST', body: { id: wanted.replaceAll('/', '-'), parts } });
    const total = files.reduce((sum, file) => sum + file.size, 0);
    let before = 0;
    for (const [i, file] of files.entries()) {
      await put(recordingAddress(id, `parts/${i}`), file, (sent) => {
        bar.value = (before + sent) / total;
        note.textContent = percent(bar.value);
      });
      before += file.size;
    }
    item.remove();
  } catch (error) {
    item.remove();
    say(`${name}: ${error.message}`);
  }
}

// fetch tells nothing while it sends.
function put(address, file, progress) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open('PUT', address);
    request.upload.onprogress = (event) => progress(event.loaded);
    request.onload = () => {
      if (request.status < 300) { done(); return; }
      let line = `the app answered ${request.status}`;
      try { line = JSON.parse(request.responseText).error; } catch { /* no line */ }
      failed(new Error(line));
    };
    request.onerror = () => failed(new Error('the connection to the app broke off'));
    request.send(file);
  });
}
