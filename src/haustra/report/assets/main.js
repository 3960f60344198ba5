// Everything that shows a time follows the player; everything that can be clicked moves it; what is corrected is drawn anew.
import { ColonMap } from './colonmap.js';
import { Curve } from './curve.js';
import { byId, clock, data } from './dom.js';
import { Handles } from './handles.js';
import { describe } from './lookup.js';
import { Panel } from './panel.js';
import { Path3d } from './path3d.js';
import { Player } from './player.js';
import { FRAME_S, Review, TIME_KEYS, rebased, relabelled } from './review.js';
import { Readout, markStrip, showSections } from './sections.js';
import { carry, download, inApp, keepDraft, keptDraft, preview, save, takeCarried } from './store.js';

const ROOM_S = 30; // around the withdrawal, while it is corrected: its ends can be drawn outwards
data.shown = data.span;
data.delivered = data.runs;

const player = new Player(byId('picture'), byId('picture-note'));
const seek = (time) => player.seek(time);
const review = new Review();
const say = (text) => { byId('said').textContent = text; };
// What stays said while the decoder answers to the last change.
let aside = '';
const sayAside = (text) => { aside = text; say(text); };

const path = new Path3d(byId('path'), seek);
const curve = new Curve(byId('curve'), seek, review);
const handles = new Handles(curve, review, seek);
const map = new ColonMap(byId('map'), seek, review);
const readout = new Readout();
const panel = new Panel(review, player, { say: sayAside });

const slider = byId('seek');
slider.addEventListener('input', () => seek(Number(slider.value)));
byId('play').addEventListener('click', () => player.toggle());
byId('mini-play').addEventListener('click', () => player.toggle());
byId('back').addEventListener('click', () => seek(player.now - 5));
byId('forward').addEventListener('click', () => seek(player.now + 5));
byId('speed').addEventListener('change', (event) => { if (player.video) player.video.playbackRate = Number(event.target.value); });
byId('full').addEventListener('click', () => {
  if (document.fullscreenElement) document.exitFullscreen(); else byId('picture').requestFullscreen?.().catch(() => {});
});
document.querySelectorAll('[data-turn]').forEach((button) => button.addEventListener('click', () => {
  const step = Number(button.dataset.turn);
  if (step) path.turn(step * 0.35, 0); else path.reset();
}));

function showTime() {
  const time = player.now;
  slider.value = time;
  slider.setAttribute('aria-valuetext', describe(time));
  byId('clock').textContent = `${clock(time)} / ${clock(data.shown[1])}`;
  byId('mini-clock').textContent = clock(time);
  markStrip(time);
  for (const view of [curve, map, path, readout]) view.update(time);
}

function showState() {
  for (const id of ['play', 'mini-play']) byId(id).textContent = player.playing ? 'Pause' : 'Play';
  for (const id of ['play', 'mini-play', 'speed', 'full']) byId(id).disabled = !player.canPlay;
}

// All that the result says; again after each correction.
function showResult() {
  data.runs = relabelled(data.delivered, review.now.times_s);
  [slider.min, slider.max] = data.shown;
  showSections(seek, review);
  map.draw();
  curve.draw();
  path.draw();
  showTime();
}

function edit(on) {
  const [start, end] = data.span;
  const [first, last] = data.review.span;
  data.shown = on ? [Math.max(Math.min(first, start), start - ROOM_S), Math.min(Math.max(last, end), end + ROOM_S)] : data.span;
  document.body.classList.toggle('editing', on);
  byId('review').hidden = !on;
  byId('edit').setAttribute('aria-pressed', String(on));
  handles.edit(on);
  showResult();
}

// The server's answer: the same page with everything that follows from the corrections.
function take(next) {
  Object.assign(data, next, { delivered: next.runs, shown: data.shown });
  edit(handles.editing);
}

// One question at a time; of several changes meanwhile the last one is asked about.
let [asked, again, following] = [0, false, false];
async function follow() {
  asked += 1;
  again = true;
  say('Decoding …');
  if (following) return;
  following = true;
  while (again) {
    again = false;
    await decode(asked);
  }
  following = false;
}
async function decode(mine) {
  try {
    const next = await preview(review.file());
    if (mine !== asked) return;
    review.settle(next.times_s, review.at);
    take(next);
    say([aside, review.changed ? 'Not saved yet' : ''].filter(Boolean).join(' · '));
  } catch (error) {
    if (mine === asked) say(error.message);
  }
}

review.addEventListener('change', () => {
  aside = '';
  keepDraft(review.changed ? review.now : null);
  showState();
  showResult();
  if (inApp()) follow(); else say(review.changed ? 'Not downloaded yet' : '');
});

async function keep() {
  if (!inApp()) {
    download(review.file());
    review.saved(review.at);
    say('annotations.json downloaded: haustra apply RESULT annotations.json makes the corrected version');
    return;
  }
  if (!review.reader) {
    say('Say who you are first: every version is kept under its reader’s name');
    byId('reader').focus();
    return;
  }
  byId('save').disabled = true;
  const { at } = review; // who goes on meanwhile has not saved that
  try {
    const next = await save(review.file());
    asked += 1;
    again = false;
    keepDraft(null);
    review.settle(next.review.annotations.times_s ?? {}, at);
    take(next);
    review.saved(at);
    say(`Saved as version ${data.review.version}`);
    if (review.changed) { keepDraft(review.now); follow(); }
  } catch (error) {
    say(error.status === 409 ? `Not saved: ${error.message}` : error.message);
    byId('conflict').hidden = error.status !== 409;
  }
  byId('save').disabled = false;
}

byId('edit').addEventListener('click', () => edit(!handles.editing));
byId('save').addEventListener('click', keep);
byId('save').textContent = inApp() ? 'Save' : 'Download corrections';
byId('conflict').addEventListener('click', () => {
  carry(data.review.annotations, review.now);
  keepDraft(null);
  review.saved(review.at); // nothing is lost by leaving
  location.reload();
});
addEventListener('beforeunload', (event) => { if (review.changed && inApp()) event.preventDefault(); });

const PLAYER_KEYS = {
  ArrowLeft: (shift) => seek(player.now - (shift ? 10 : 1)),
  ArrowRight: (shift) => seek(player.now + (shift ? 10 : 1)),
  ',': () => seek(player.now - FRAME_S),
  '.': () => seek(player.now + FRAME_S),
  Home: () => seek(data.shown[0]),
  End: () => seek(data.shown[1]),
};
const MARK_KEYS = { c: 'cecum', r: 'retroflexion', f: 'finding', n: 'comment' };
const SET_KEYS = Object.fromEntries(Object.entries(TIME_KEYS).map(([name, key]) => [key, name]));

function editKey({ key, shiftKey }) {
  if (!handles.editing || shiftKey) return false;
  if (SET_KEYS[key]) panel.set(SET_KEYS[key]);
  else if (MARK_KEYS[key]) panel.mark(MARK_KEYS[key]);
  else return false;
  return true;
}

function shortcut(event) {
  const key = event.key.toLowerCase();
  if (!handles.editing || event.altKey || !(event.ctrlKey || event.metaKey)) return false;
  if (key === 'z' && !event.shiftKey) review.undo();
  else if (key === 'y' || (key === 'z' && event.shiftKey)) review.redo();
  else if (key === 's') keep();
  else return false;
  return true;
}

// Text fields keep their keys, a slider and a list their arrows. Space plays wherever the focus is; Enter presses buttons.
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('input:not([type=range]), textarea, select, dialog');
  if (typing && event.target.type !== 'checkbox') return;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if (shortcut(event)) event.preventDefault();
    return;
  }
  const scrolls = event.target.closest?.('input[type=range], .scroll') && event.key.startsWith('Arrow');
  if (event.key === ' ' && event.target.type !== 'checkbox') player.toggle();
  else if (!scrolls && PLAYER_KEYS[event.key]) PLAYER_KEYS[event.key](event.shiftKey);
  else if (!editKey(event)) return;
  event.preventDefault();
});
// Some browsers press a button when the key is let go.
document.addEventListener('keyup', (event) => { if (event.key === ' ' && event.target.tagName === 'BUTTON') event.preventDefault(); });

// The picture stays in sight, small, once it was scrolled past; on a phone it begins below what is seen first.
new IntersectionObserver(([stage]) => {
  const passed = !stage.isIntersecting && stage.boundingClientRect.top < 0;
  document.body.classList.toggle('mini', passed && !byId('mini').dataset.closed);
}, { rootMargin: '-80px 0px 0px 0px' }).observe(byId('screen'));
byId('mini-close').addEventListener('click', () => { byId('mini').dataset.closed = 'yes'; document.body.classList.remove('mini'); });
byId('mini-top').addEventListener('click', () => byId('stage').scrollIntoView({ block: 'start' }));

player.addEventListener('time', showTime);
player.addEventListener('state', showState);
showState();
const [draft, carried] = [keptDraft(), takeCarried()];
edit(inApp());
seek(data.span[0]);
// The server makes itself ready, which takes a long recording some seconds; what cannot be corrected is told at once.
if (inApp()) preview(review.file()).catch((error) => say(error.message));
if (carried) {
  review.change(rebased(carried.base, carried.mine, review.now));
  sayAside('This is the newer version with your changes on top of it: look at them, then save');
} else if (draft) {
  edit(true);
  review.change(draft);
  sayAside('Changes that were not saved last time were found and are shown; undo takes them back');
}
