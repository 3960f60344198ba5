// What is shown: filters, order, and rows that are drawn as they are scrolled to.
const AT_ONCE = 100;
const order = { column: COLUMNS[0], down: false };
let wanted = [];
let drawn = 0;

const [shorter, longer] = data.guideline_min;
const LENGTHS = {
  all: () => true,
  [`below ${shorter} min`]: (row) => row.total !== null && row.total < 60 * shorter,
  [`${shorter} to ${longer} min`]: (row) => row.total >= 60 * shorter && row.total < 60 * longer,
  [`${longer} min and more`]: (row) => row.total >= 60 * longer,
};

function passes(row) {
  const search = byId('search').value.trim().toLowerCase();
  const [state, cecum] = [byId('state').value, byId('cecum').value];
  return (!search || `${row.id} ${row.notes}`.toLowerCase().includes(search))
    && (!state || row.state === state) && (!cecum || row.cecum === (cecum === 'yes'))
    && LENGTHS[byId('length').value](row);
}

function drawMore() {
  const next = wanted.slice(drawn, drawn + AT_ONCE);
  byId('table').tBodies[0].append(...next.map(line));
  drawn += next.length;
  byId('more').textContent = drawn < wanted.length ? `${drawn} of ${wanted.length} are drawn; scroll for more.` : '';
}

function draw() {
  byId('table').tHead.replaceChildren(el('tr', {}, COLUMNS.map((column) => header(column, order, choose))));
  byId('table').tBodies[0].replaceChildren();
  drawn = 0;
  drawMore();
}

function choose(column) {
  order.down = order.column === column && !order.down;
  order.column = column;
  wanted = sorted(wanted, order.column, order.down);
  draw();
  const index = COLUMNS.indexOf(column);
  byId('table').tHead.rows[0].cells[index].querySelector('button').focus();
}

function filter() {
  wanted = sorted(data.rows.filter(passes), order.column, order.down);
  byId('count').textContent = `${wanted.length} of ${data.rows.length} recordings`;
  drawCharts(wanted);
  draw();
}

function fact(label, value, note) {
  return el('div', {}, [el('dt', { text: label }), el('dd', { text: value }), el('dd', { text: note })]);
}

function start() {
  const count = (state) => data.rows.filter((row) => row.state === state).length;
  const totals = ascending(data.rows.map((row) => row.total));
  const share = (least) => percent(totals.filter((value) => value >= 60 * least).length / (totals.length || 1));
  const states = [...new Set(data.rows.map((row) => row.state))].sort();
  byId('title').textContent = `${data.rows.length} recording${data.rows.length === 1 ? '' : 's'}`;
  byId('facts').append(
    fact('Finished', `${count('finished')}`, `${count('failed')} failed, ${count('unfinished')} unfinished`),
    fact('Median withdrawal', totals.length ? clock(quantile(totals, 0.5)) : '–', 'minutes and seconds'),
    ...data.guideline_min.map((least) => fact(`At least ${least} minutes`, totals.length ? share(least) : '–', 'of the finished ones')),
    fact('Cecum seen', percent(data.rows.filter((row) => row.cecum).length / (totals.length || 1)), 'of the finished ones'),
  );
  byId('state').append(...states.map((state) => el('option', { value: state, text: state })));
  byId('length').append(...Object.keys(LENGTHS).map((name) => el('option', { value: name, text: name })));
  byId('filters').addEventListener('input', filter);
  byId('filters').addEventListener('submit', (event) => event.preventDefault());
  new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) drawMore(); }, { rootMargin: '600px' })
    .observe(byId('more'));
  filter();
}
start();
