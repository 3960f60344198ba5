// What is true at a time, and when the camera was at a place; from the curve as it is drawn.
import { clamp, clock, data, percent } from './dom.js';

// Index of the last entry of the sorted list that is not above `value`; 0 when all are.
export function lastBefore(sorted, value) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= value) low = middle; else high = middle - 1;
  }
  return low;
}

export const runAt = (time) => data.runs.find((run) => time >= run.start && time < run.end)
  ?? (data.runs.length && time >= data.runs[data.runs.length - 1].end ? data.runs[data.runs.length - 1] : null);

const dropAt = (time) => data.dropped.find((span) => time >= span.start && time < span.end) || null;

// Everything known about one time; null where no frame was located.
export function stateAt(time) {
  const { t, loc, lo, hi, p } = data.curve;
  if (!t.length) return null;
  const i = lastBefore(t, time);
  const j = Math.min(i + 1, t.length - 1);
  const w = j > i ? clamp((time - t[i]) / (t[j] - t[i]), 0, 1) : 0;
  const near = w < 0.5 ? i : j;
  if (loc[near] === null) return null;
  const mix = (values) => (values[i] === null || values[j] === null ? values[near] : values[i] * (1 - w) + values[j] * w);
  const run = runAt(time);
  return { loc: mix(loc), lo: mix(lo), hi: mix(hi), segment: run ? run.segment : -1, again: Boolean(run?.again), probability: p[near], drop: dropAt(time) };
}

// The time at which the camera was nearest to a location.
export function timeOf(location) {
  const { t, loc } = data.curve;
  let best = -1;
  loc.forEach((value, i) => {
    if (value !== null && (best < 0 || Math.abs(value - location) < Math.abs(loc[best] - location))) best = i;
  });
  return best < 0 ? data.span[0] : t[best];
}

// When a segment (by its index) was first entered; null where it was not.
export const firstIn = (segment) => data.runs.find((run) => run.segment === segment)?.start ?? null;

// What is true at one time, in words.
export function describe(time) {
  const state = stateAt(time);
  if (!state) return clock(time);
  const segment = data.segments[state.segment];
  const again = state.again ? ' (re-entered)' : '';
  const named = segment ? `${segment.name}${again} ${percent(state.probability[state.segment])} · ` : '';
  const base = `${clock(time)} · ${named}${data.placed ? `location ${state.loc.toFixed(2)}` : `progress ${percent(state.loc)}`}`;
  return state.drop ? `${base} · ${state.drop.reason || 'dropped'}` : base;
}
