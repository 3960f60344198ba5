// The table: columns that know how to sort and to show themselves.
const time = (value) => (value === null ? '–' : clock(value));
const CURVE = { wide: 120, high: 26 };

function curve(points) {
  if (!points.length) return [];
  const at = points.map((value, i) => `${((i / (points.length - 1)) * CURVE.wide).toFixed(1)},${(1 + value * (CURVE.high - 2)).toFixed(1)}`);
  const line = svg('polyline', { class: 'curve-line', points: at.join(' ') });
  const size = { width: CURVE.wide, height: CURVE.high, viewBox: `0 0 ${CURVE.wide} ${CURVE.high}` };
  return [svg('svg', { ...size, role: 'img', 'aria-label': 'Location over time, cecum at the top' }, [line])];
}

function withdrawal(row) {
  const short = row.total !== null && row.total < 60 * data.guideline_min[0];
  const title = short ? `below ${data.guideline_min[0]} minutes` : null;
  return el('td', { class: short ? 'short' : null, title, text: time(row.total) });
}

const text = (value) => el('td', { text: value });
const COLUMNS = [
  { name: 'Recording', key: (row) => row.id,
    cell: (row) => el('td', { title: row.id }, [row.href ? el('a', { href: row.href, text: row.id }) : row.id]) },
  { name: 'Location', title: 'Cecum at the top, rectum at the bottom', cell: (row) => el('td', {}, curve(row.curve)) },
  { name: 'Withdrawal', key: (row) => row.total, cell: withdrawal },
  { name: 'Net', key: (row) => row.net, cell: (row) => text(time(row.net)) },
  ...data.segments.map((segment, i) => (
    { name: capital(segment.name), segment: i, key: (row) => row.times[i], cell: (row) => text(time(row.times[i])) })),
  { name: 'Dropped', key: (row) => row.dropped, cell: (row) => text(percent(row.dropped)) },
  { name: 'Cecum seen', key: (row) => (row.cecum === null ? null : Number(row.cecum)),
    cell: (row) => text(row.cecum === null ? '–' : row.cecum ? 'yes' : 'no') },
  ...(data.evaluated ? [{ name: 'Accuracy', title: 'Share of the annotated frames in the right segment',
    key: (row) => row.accuracy, cell: (row) => text(percent(row.accuracy)) }] : []),
  { name: 'Notes', key: (row) => row.notes, cell: (row) => el('td', { class: 'notes', title: row.notes, text: row.notes }) },
];

// Numbers by size, names as people count (r2 before r10); what is not known comes last, whichever way.
const byName = new Intl.Collator('en', { numeric: true });
function sorted(rows, column, down) {
  const known = rows.filter((row) => column.key(row) !== null && column.key(row) !== '');
  const rest = rows.filter((row) => column.key(row) === null || column.key(row) === '');
  const compare = (a, b) => (typeof a === 'string' ? byName.compare(a, b) : a - b);
  known.sort((a, b) => compare(column.key(a), column.key(b)) * (down ? -1 : 1));
  return [...known, ...rest];
}

function header(column, order, choose) {
  const name = [...('segment' in column ? [swatch(column.segment)] : []), column.name];
  const sort = order.column === column ? (order.down ? 'descending' : 'ascending') : null;
  const content = column.key ? [el('button', { type: 'button', class: 'sort', onclick: () => choose(column) }, name)] : name;
  return el('th', { scope: 'col', title: column.title, 'aria-sort': sort }, content);
}

const line = (row) => el('tr', { class: row.state }, COLUMNS.map((column) => column.cell(row)));
