// Distributions over the recordings shown: two histograms and a box for each segment.
const WIDE = 360;
const HIGH = 150;
const FLOOR = HIGH - 18;

function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  return sorted[below] + (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]) * (at - below);
}
const ascending = (values) => values.filter((value) => value !== null).sort((a, b) => a - b);
const canvas = (label, children) => svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, role: 'img', 'aria-label': label }, children);
const words = (x, y, text, anchor = 'middle') => svg('text', { x, y, 'text-anchor': anchor, text });

// Bars of equal width from 0 to a round number above the largest value.
function histogram(values, { bins, top, label, rules = [], name }) {
  const counts = new Array(bins).fill(0);
  for (const value of values) counts[clamp(Math.floor((value / top) * bins), 0, bins - 1)] += 1;
  const most = Math.max(1, ...counts);
  const step = WIDE / bins;
  const tall = FLOOR - 14;
  const bars = counts.map((count, i) => svg('rect', {
    class: 'bar', x: i * step + 0.75, width: step - 1.5, y: FLOOR - (count / most) * tall, height: (count / most) * tall,
  }, [svg('title', { text: `${label((i / bins) * top)} to ${label(((i + 1) / bins) * top)}: ${count}` })]));
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => words(share * WIDE, HIGH - 3, label(share * top),
    share === 0 ? 'start' : share === 1 ? 'end' : 'middle'));
  const lines = rules.filter((rule) => rule.at <= top).flatMap((rule) => {
    const x = (rule.at / top) * WIDE;
    return [svg('line', { class: 'rule', x1: x, x2: x, y1: 10, y2: FLOOR }), words(x, 8, rule.text)];
  });
  const axis = svg('line', { class: 'axis', x1: 0, x2: WIDE, y1: FLOOR, y2: FLOOR });
  return canvas(name, [...bars, axis, ...lines, ...marks, words(WIDE, 8, `most: ${most}`, 'end')]);
}

function boxes(times) {
  const lists = times.map(ascending);
  const top = Math.max(1, ...lists.filter((list) => list.length).map((list) => quantile(list, 0.95))) / 60;
  const left = 76;
  const scale = (minutes) => left + (minutes / top) * (WIDE - left - 8);
  const step = FLOOR / lists.length;
  const rows = lists.flatMap((list, i) => {
    const y = i * step + step / 2;
    const name = words(0, y + 4, capital(data.segments[i].name), 'start');
    if (!list.length) return [name];
    const [low, q1, median, q3, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => scale(quantile(list, share) / 60));
    const title = svg('title', { text: `${data.segments[i].name}: median ${clock(quantile(list, 0.5))}` });
    return [name, svg('g', {}, [title,
      svg('line', { x1: low, x2: high, y1: y, y2: y, stroke: colourOf(i), 'stroke-width': 1.5 }),
      svg('rect', { x: q1, width: Math.max(q3 - q1, 1), y: y - 6, height: 12, rx: 2, fill: colourOf(i) }),
      svg('line', { class: 'median', x1: median, x2: median, y1: y - 8, y2: y + 8, stroke: css('--ink'), 'stroke-width': 2 })])];
  });
  const axis = svg('line', { class: 'axis', x1: left, x2: WIDE - 8, y1: FLOOR, y2: FLOOR });
  const marks = [0, 0.5, 1].map((share) => words(scale(share * top), HIGH - 3, `${+(share * top).toFixed(2)}`));
  return canvas('Time in each segment', [axis, ...rows, ...marks]);
}

function drawCharts(rows) {
  const minutes = ascending(rows.map((row) => row.total)).map((value) => value / 60);
  const dropped = ascending(rows.map((row) => row.dropped));
  const longest = minutes.length ? minutes[minutes.length - 1] : 0;
  const top = Math.max(12, Math.ceil(longest / 4) * 4);
  const rules = data.guideline_min.map((at) => ({ at, text: `${at}` }));
  byId('chart-total').replaceChildren(histogram(minutes, { bins: 24, top, rules, label: (x) => `${+x.toFixed(1)}`, name: 'Withdrawal time' }));
  byId('chart-segments').replaceChildren(boxes(data.segments.map((_, i) => rows.map((row) => row.times[i]))));
  byId('chart-dropped').replaceChildren(histogram(dropped, { bins: 20, top: 1, label: (x) => percent(x), name: 'Share dropped' }));
  const reached = data.guideline_min.map((least) => `${percent(minutes.filter((m) => m >= least).length / (minutes.length || 1))} at least ${least}`);
  byId('note-total').textContent = minutes.length ? `Median ${clock(60 * quantile(minutes, 0.5))}; ${reached.join(', ')} minutes.` : 'No recording is finished.';
  byId('note-dropped').textContent = dropped.length ? `Median ${percent(quantile(dropped, 0.5))}.` : '';
}
