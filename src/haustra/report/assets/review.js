// What the reader has said so far, with undo and redo. The seven times are those of the annotations file.
import { capital, data } from './dom.js';

const STOP = 'stop';
export const TIMES = [...data.segments.map(({ name }) => name), STOP];
const START = TIMES[0];
// Keys that set them: s and e, and the number of each boundary.
export const TIME_KEYS = Object.fromEntries(TIMES.map((name, i) => [name, { [START]: 's', [STOP]: 'e' }[name] ?? String(i)]));

export function timeLabel(name) {
  if (name === START) return 'Start';
  if (name === STOP) return 'End';
  return capital(name);
}
export function timeHint(name) {
  const left = data.segments.find((segment) => segment.name === name)?.flexure;
  return left ? `${left} flexure left` : '';
}

const EMPTY = { times_s: {}, begins: null, ends: null, sightings: [], findings: [], comments: [], reviewed: false };
export const FRAME_S = 1 / 15;
export const milliseconds = (time) => Math.round(time * 1000) / 1000;

export class Review extends EventTarget {
  constructor() {
    super();
    this.begin();
  }

  // From what the page was delivered with: nothing is unsaved, nothing can be undone.
  begin() {
    this.states = [{ ...EMPTY, ...data.review.annotations }];
    this.at = 0;
    this.clean = 0;
  }

  get now() { return this.states[this.at]; }
  get changed() { return this.at !== this.clean; }

  // One step that can be undone; `what` are the fields that differ.
  change(what) {
    const next = { ...this.now, ...what };
    if (JSON.stringify(next) === JSON.stringify(this.now)) return;
    this.states = [...this.states.slice(0, this.at + 1), next];
    if (this.clean > this.at) this.clean = -1;
    this.at += 1;
    this.tell();
  }

  undo() { if (this.at > 0) { this.at -= 1; this.tell(); } }
  redo() { if (this.at + 1 < this.states.length) { this.at += 1; this.tell(); } }
  // The server put what was set at step `at` on frames: that is no step of its own.
  settle(times, at) { this.states[at] = { ...this.states[at], times_s: times }; this.dispatchEvent(new Event('settled')); }
  saved(at) { this.clean = at; this.dispatchEvent(new Event('settled')); }
  tell() { this.dispatchEvent(new Event('change')); }

  // A time may not pass one that was set; those that Haustra proposed give way.
  limits(name) {
    const set = this.now.times_s;
    const i = TIMES.indexOf(name);
    const before = TIMES.slice(0, i).filter((other) => other in set).map((other) => set[other]);
    const behind = TIMES.slice(i + 1).filter((other) => other in set).map((other) => set[other]);
    return [Math.max(data.review.span[0], ...before), Math.min(data.review.span[1], ...behind)];
  }

  setTime(name, time) {
    const [low, high] = this.limits(name);
    const kept = milliseconds(Math.min(Math.max(time, low), high));
    this.change({ times_s: { ...this.now.times_s, [name]: kept } });
    return kept;
  }

  releaseTime(name) {
    const { [name]: gone, ...rest } = this.now.times_s;
    this.change({ times_s: rest });
  }

  add(list, entry) {
    const entries = [...this.now[list], entry].sort((a, b) => (a.time_s ?? -1) - (b.time_s ?? -1));
    this.change({ [list]: entries });
  }

  put(list, index, entry) { this.change({ [list]: this.now[list].map((old, i) => (i === index ? entry : old)) }); }
  remove(list, index) { this.change({ [list]: this.now[list].filter((_, i) => i !== index) }); }

  // Where each time stands: as it was set, else as Haustra proposes, pushed along by what was set.
  shownTimes() {
    const proposed = { [START]: data.span[0], [STOP]: data.span[1], ...Object.fromEntries(data.boundaries.map((boundary) => [boundary.segment, boundary.t])) };
    const set = this.now.times_s;
    let least = -Infinity;
    const shown = TIMES.filter((name) => name in set || name in proposed).map((name) => {
      const time = name in set ? set[name] : Math.max(proposed[name], least);
      least = Math.max(least, time);
      return { name, time, set: name in set };
    });
    let most = Infinity;
    for (const entry of shown.reverse()) {
      if (entry.set) most = Math.min(most, entry.time); else entry.time = Math.min(entry.time, most);
    }
    return shown.reverse();
  }

  // Who set a time, or that Haustra did.
  setBy(name) {
    if (!(name in this.now.times_s)) return 'Haustra';
    const same = data.review.annotations.times_s?.[name] === this.now.times_s[name];
    return (same && data.review.authors[name]) || this.reader || 'you';
  }

  // The annotations file.
  file() {
    return { format: 'haustra-annotations-1', recording: data.review.recording, version: data.review.version, by: this.reader || '', ...this.now };
  }
}

// One reader's changes since `base`, made again on top of what another has saved meanwhile.
export function rebased(base, mine, theirs) {
  const [from, to, on] = [base, mine, theirs].map((state) => ({ ...EMPTY, ...state }));
  const times = Object.fromEntries(TIMES.flatMap((name) => {
    const time = to.times_s[name] === from.times_s[name] ? on.times_s[name] : to.times_s[name];
    return time === undefined ? [] : [[name, time]];
  }));
  const words = (entry) => JSON.stringify(entry);
  const lists = ['sightings', 'findings', 'comments'].map((list) => {
    const [had, have] = [from[list].map(words), to[list].map(words)];
    const kept = on[list].filter((entry) => !had.includes(words(entry)) || have.includes(words(entry)));
    return [list, [...kept, ...to[list].filter((entry) => !had.includes(words(entry)))].sort((a, b) => (a.time_s ?? -1) - (b.time_s ?? -1))];
  });
  const single = ['begins', 'ends', 'reviewed'].map((name) => [name, to[name] === from[name] ? on[name] : to[name]]);
  return { times_s: times, ...Object.fromEntries(lists), ...Object.fromEntries(single) };
}

// The stretches in one segment once the times that were set count: each is passed then, not before, and for good.
export function relabelled(runs, set) {
  const cuts = TIMES.slice(1, -1).map((name, i) => [i + 1, set[name]]).filter(([, time]) => time !== undefined);
  if (!cuts.length) return runs;
  const edges = cuts.map(([, time]) => time);
  const pieces = runs.flatMap((run) => {
    const inner = edges.filter((time) => time > run.start && time < run.end).sort((a, b) => a - b);
    const at = [run.start, ...inner, run.end];
    return at.slice(1).map((end, i) => ({ ...run, start: at[i], end }));
  });
  for (const piece of pieces) {
    if (piece.segment < 0) continue;
    for (const [k, time] of cuts) piece.segment = piece.start < time ? Math.min(piece.segment, k - 1) : Math.max(piece.segment, k);
  }
  const joined = [];
  let farthest = -1;
  for (const piece of pieces) {
    const last = joined[joined.length - 1];
    if (last && last.segment === piece.segment && last.end === piece.start) last.end = piece.end;
    else joined.push({ ...piece, again: piece.segment <= farthest });
    farthest = Math.max(farthest, piece.segment);
  }
  return joined;
}
