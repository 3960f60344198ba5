// Small helpers. Text from files reaches the page through textContent and setAttribute only.
export const data = JSON.parse(document.getElementById('data').textContent);
export const byId = (id) => document.getElementById(id);
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
export const percent = (x, digits = 0) => (x === null || x === undefined ? '–' : `${(100 * x).toFixed(digits)}\u00a0%`);
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
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
export const el = (tag, attributes, children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, children) => fill(document.createElementNS(SVG, tag), attributes, children);

export function clock(time) {
  const whole = Math.max(0, Math.round(time));
  const pad = (n) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${pad(m)}:${pad(s)}` : `${pad(m)}:${pad(s)}`;
}

export function swatch(segment) {
  const node = el('span', { class: 'swatch', 'aria-hidden': 'true' });
  node.style.background = colourOf(segment);
  return node;
}
export const segmentIndex = (name) => data.segments.findIndex((segment) => segment.name === name);
export function colourOf(segment) {
  const entry = data.segments[typeof segment === 'number' ? segment : segmentIndex(segment)];
  return entry ? entry.colour : 'transparent';
}
