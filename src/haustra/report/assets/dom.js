// Small helpers. Text from files reaches the page through textContent and setAttribute only.
const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const percent = (x, digits = 0) => (x === null || x === undefined ? '–' : `${(100 * x).toFixed(digits)}\u00a0%`);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === 'text') node.textContent = value;
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...(children || []));
  return node;
}
const el = (tag, attributes, children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, children) => fill(document.createElementNS(SVG, tag), attributes, children);

function clock(time) {
  const whole = Math.max(0, Math.round(time));
  const pad = (n) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${pad(m)}:${pad(s)}` : `${pad(m)}:${pad(s)}`;
}

function swatch(segment) {
  const node = el('span', { class: 'swatch', 'aria-hidden': 'true' });
  node.style.background = colourOf(segment);
  return node;
}
const segmentIndex = (name) => data.segments.findIndex((segment) => segment.name === name);
function colourOf(segment) {
  const entry = data.segments[typeof segment === 'number' ? segment : segmentIndex(segment)];
  return entry ? entry.colour : 'transparent';
}

// Index of the last entry of the sorted list that is not above `value`; 0 when all are.
function lastBefore(sorted, value) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= value) low = middle; else high = middle - 1;
  }
  return low;
}

// Everything known about one time, from the thinned curve; null where no frame was located.
function stateAt(time) {
  const { t, loc, lo, hi, p } = data.curve;
  if (!t.length) return null;
  const i = lastBefore(t, time);
  const j = Math.min(i + 1, t.length - 1);
  const w = j > i ? clamp((time - t[i]) / (t[j] - t[i]), 0, 1) : 0;
  const mix = (values) => values[i] * (1 - w) + values[j] * w;
  const near = w < 0.5 ? i : j;
  const probability = p[near];
  const segment = data.curve.seg[near];
  return { loc: mix(loc), lo: mix(lo), hi: mix(hi), segment, probability, drop: dropAt(time) };
}

const dropAt = (time) => data.dropped.find((span) => time >= span.start && time < span.end) || null;

// The time at which the camera was nearest to a location.
function timeOf(location) {
  const { t, loc } = data.curve;
  let best = 0;
  for (let i = 1; i < t.length; i += 1) {
    if (Math.abs(loc[i] - location) < Math.abs(loc[best] - location)) best = i;
  }
  return t.length ? t[best] : data.span[0];
}
