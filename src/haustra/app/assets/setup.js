// A look at a recording before it is located: any frame, the picture that was found, a start that is proposed.
import { byId, clamp, clock, data, el } from '/assets/report/dom.js';
import { ask, recordingAddress } from './ask.js';

const OPTIONS = ['withdrawal_start', 'withdrawal_end', 'camera', 'from_place', 'to_place'];
const LENSES = { generic: 'generic: a typical wide angle', auto: 'auto: found from the recording' };
const precise = (time) => `${clock(Math.floor(time))}.${Math.floor(10 * (time % 1))}`;
const say = (text) => { byId('said').textContent = text; };
let length = 0;
let now = 0;

function seconds(text) {
  const parts = text.trim().split(':');
  if (parts.length > 3 || parts.some((part) => !/^\d+(\.\d*)?$/.test(part))) return null;
  return parts.reduce((sum, part) => 60 * sum + Number(part), 0);
}

// One frame at a time is asked for; when it is there, the newest wish is next.
const frame = byId('frame');
let wanted = null;
let busy = false;
let keeping = false; // the recording may get another id: a frame asked for by the old one is none of its
function show() {
  byId('straight').disabled = !data.lenses?.includes(byId('camera').value) || byId('camera').value === 'auto';
  const lens = byId('straight').checked && !byId('straight').disabled ? byId('camera').value : '';
  const query = new URLSearchParams({ t: now.toFixed(2), ...(lens ? { lens } : {}) });
  wanted = `${recordingAddress(data.id, 'frame')}?${query}`;
  byId('box').toggleAttribute('hidden', Boolean(lens) || !data.box);
  if (!busy) next();
}
function next() {
  busy = Boolean(wanted) && !keeping;
  if (!busy) return;
  frame.src = wanted;
  wanted = null;
}
frame.addEventListener('load', () => next());
frame.addEventListener('error', () => { byId('look-note').textContent = 'No frame can be shown at this time'; next(); });

function seek(time) {
  now = clamp(time, 0, length);
  byId('seek').value = now;
  byId('seek').setAttribute('aria-valuetext', clock(now));
  byId('clock').textContent = `${precise(now)} / ${clock(length)}`;
  show();
}

// The box of the endoscope picture, and how much frames look like the cecum.
function drawLook({ box, size, cecum }) {
  data.box = box;
  if (box) {
    byId('box').setAttribute('viewBox', `0 0 ${size[0]} ${size[1]}`);
    ['x', 'y', 'width', 'height'].forEach((name, i) => byId('box').firstElementChild.setAttribute(name, box[i]));
  }
  byId('scores').replaceChildren(...cecum.t.map((time, i) => {
    const bar = el('i', { title: `${clock(time)}: looks like the cecum ${Math.round(100 * cecum.p[i])} %` });
    bar.style.left = `${100 * time / Math.max(length, 1e-9)}%`;
    bar.style.height = `${100 * cecum.p[i]}%`;
    return bar;
  }));
}

function propose(facts) {
  const found = data.found_start_s ?? facts.proposed_s;
  if (found === null) { byId('proposal').textContent = 'Left empty, Haustra finds the start from the motion and the pictures.'; return; }
  const why = data.found_start_s === null ? 'looks like the cecum' : 'is where the result begins';
  byId('proposal').replaceChildren(
    el('button', { type: 'button', class: 'jump', text: precise(found), onclick: () => seek(found) }),
    ` ${why}: look around there, then set the start. Left empty, Haustra finds it by itself.`);
}

function set(name, time) { byId(name).value = precise(time); say(''); }

// What a table or a haustra.toml gave may be none of the choices here: a calibration file, a location index.
function showOption(name, value) {
  const field = byId(name);
  if (field.options && ![...field.options].some((option) => option.value === value)) field.append(el('option', { value, text: value.split(/[\\/]/).pop() }));
  field.value = value;
}

async function keep(queue) {
  const options = Object.fromEntries(OPTIONS.map((name) => [name, byId(name).value.trim()]));
  if (options.camera === data.usual_lens) options.camera = '';
  keeping = true;
  try {
    await ask(recordingAddress(data.id, 'settings'), { method: 'POST', body: { id: byId('id').value.trim(), options, queue } });
    location.href = '/';
  } catch (error) {
    keeping = false;
    say(error.message);
    if (!busy) next();
  }
}

byId('id').value = data.id;
byId('id').readOnly = data.named;
for (const name of ['from_place', 'to_place']) byId(name).append(el('option', { value: '', text: 'as found' }), ...data.segments.map((segment) => el('option', { value: segment, text: segment })));
byId('settings').addEventListener('submit', (event) => { event.preventDefault(); keep(true); });
byId('keep').addEventListener('click', () => keep(false));
byId('start-here').addEventListener('click', () => set('withdrawal_start', now));
byId('end-here').addEventListener('click', () => set('withdrawal_end', now));
byId('go-start').addEventListener('click', () => { const time = seconds(byId('withdrawal_start').value); if (time !== null) seek(time); });
byId('seek').addEventListener('input', (event) => seek(Number(event.target.value)));
byId('camera').addEventListener('change', show);
byId('straight').addEventListener('change', show);

const KEYS = {
  ArrowLeft: (shift) => seek(now - (shift ? 10 : 1)),
  ArrowRight: (shift) => seek(now + (shift ? 10 : 1)),
  ',': () => seek(now - 0.1),
  '.': () => seek(now + 0.1),
  Home: () => seek(0),
  End: () => seek(length),
  s: () => set('withdrawal_start', now),
  e: () => set('withdrawal_end', now),
  Enter: () => keep(true),
};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input:not([type=range]), select, button, a')) return;
  if (!KEYS[event.key]) return;
  KEYS[event.key](event.shiftKey);
  event.preventDefault();
});

byId('look-note').textContent = 'Looking at the recording …';
ask(recordingAddress(data.id, 'look')).then((facts) => {
  length = facts.duration_s;
  byId('seek').max = length;
  const parts = data.parts > 1 ? `, ${data.parts} parts` : '';
  byId('look-note').textContent = facts.problem || `${facts.size[0]}×${facts.size[1]}, ${clock(length)}${parts}. The frame drawn is the endoscope picture that was found; bars: how much a frame looks like the cecum.`;
  data.lenses = facts.lenses;
  byId('camera').replaceChildren(...facts.lenses.map((name) => el('option', { value: name, text: LENSES[name] ?? name })));
  for (const name of OPTIONS) showOption(name, data.options[name] || (name === 'camera' ? data.usual_lens : ''));
  drawLook(facts);
  propose(facts);
  seek(seconds(data.options.withdrawal_start) ?? facts.proposed_s ?? 0);
}).catch((error) => { byId('look-note').textContent = error.message; });
