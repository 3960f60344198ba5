// The panel below the curve: the seven times, landmarks, findings and comments, who reads, undo, save.
import { byId, clock, data, el } from './dom.js';
import { TIMES, TIME_KEYS, milliseconds, timeHint, timeLabel } from './review.js';
import { jump } from './sections.js';
import { readerName } from './store.js';

const SEEN = { cecum: 'Cecum seen', retroflexion: 'Retroflexion' };
const precise = (time) => `${clock(Math.floor(time))}.${String(Math.floor(10 * (time % 1)))}`;

// Seconds of a time as people write it; NaN where it is none.
function parsedTime(text) {
  const parts = text.trim().replace(',', '.').split(':');
  if (parts.length > 3 || parts.some((part) => !/^\d+(\.\d*)?$/.test(part))) return NaN;
  return parts.reduce((sum, part) => 60 * sum + Number(part), 0);
}

export class Panel {
  constructor(review, player, actions) {
    Object.assign(this, { review, player, actions });
    const reader = byId('reader');
    reader.value = readerName();
    review.reader = reader.value;
    reader.addEventListener('change', () => { review.reader = readerName(reader.value.trim()); this.draw(); });
    byId('undo').addEventListener('click', () => review.undo());
    byId('redo').addEventListener('click', () => review.redo());
    byId('reviewed').addEventListener('change', (event) => review.change({ reviewed: event.target.checked }));
    for (const id of ['begins', 'ends']) {
      byId(id).append(...data.segments.map(({ name }) => el('option', { value: name, text: name })));
      byId(id).addEventListener('change', (event) => review.change({ [id]: event.target.value || null }));
    }
    this.rows = new Map(TIMES.map((name) => [name, this.row(name)]));
    byId('times').replaceChildren(...[...this.rows.values()].map(({ item }) => item));
    document.querySelectorAll('[data-mark]').forEach((button) => button.addEventListener('click', () => this.mark(button.dataset.mark)));
    byId('finding-form').addEventListener('submit', () => this.noteFinding());
    byId('comment-form').addEventListener('submit', () => this.noteComment());
    document.querySelectorAll('dialog [data-cancel]').forEach((button) => button.addEventListener('click', () => button.closest('dialog').close()));
    review.addEventListener('change', () => this.draw());
    review.addEventListener('settled', () => this.draw());
    this.draw();
  }

  seek(time) { this.player.seek(time); }

  draw() {
    const { now } = this.review;
    this.drawTimes();
    const marked = JSON.stringify([now.sightings, now.findings, now.comments]);
    if (marked !== this.marked) byId('marks').replaceChildren(...this.marks());
    this.marked = marked;
    byId('undo').disabled = this.review.at === 0;
    byId('redo').disabled = this.review.at + 1 >= this.review.states.length;
    byId('reviewed').checked = now.reviewed;
    byId('part').hidden = data.placed && !now.begins && !now.ends;
    for (const id of ['begins', 'ends']) byId(id).value = now[id] ?? '';
    this.history();
  }

  // The row of a time. It stays when what it says changes: a redrawn field would lose the focus that is just coming,
  // and what is typed next would be keys.
  row(name) {
    const label = timeLabel(name);
    const row = { typing: false, time: undefined };
    row.input = el('input', { type: 'text', class: 'time', inputmode: 'decimal', 'aria-label': `${label}, time`, placeholder: '–',
      oninput: () => { row.typing = true; }, onchange: (event) => { row.typing = false; this.typed(event.target, name); } });
    row.jump = el('button', { class: 'jump', type: 'button', text: label, onclick: () => this.seek(row.time) });
    row.who = el('span', { class: 'who' });
    row.release = el('button', { type: 'button', class: 'small', title: `${label}: leave it to Haustra`, 'aria-label': `Release ${label}`, text: '×', onclick: () => this.review.releaseTime(name) });
    row.item = el('li', {}, [
      el('kbd', { text: TIME_KEYS[name] }),
      el('span', { class: 'what' }, [row.jump, ...(timeHint(name) ? [el('small', { text: timeHint(name) })] : [])]),
      row.input, row.who,
      el('button', { type: 'button', class: 'small', title: `Set ${label} at the time shown (${TIME_KEYS[name]})`, text: 'Set here', onclick: () => this.set(name) }),
      row.release,
    ]);
    return row;
  }

  drawTimes() {
    const shown = new Map(this.review.shownTimes().map((entry) => [entry.name, entry]));
    for (const [name, row] of this.rows) {
      const { time, set } = shown.get(name) ?? {};
      row.time = time;
      row.item.classList.toggle('set', Boolean(set));
      if (!row.typing) row.input.value = time === undefined ? '' : precise(time);
      row.jump.disabled = time === undefined;
      row.who.textContent = this.review.setBy(name);
      row.release.disabled = !set;
    }
  }

  typed(input, name) {
    const time = parsedTime(input.value);
    if (Number.isNaN(time)) { this.actions.say(`'${input.value}' is not a time: write seconds, MM:SS or HH:MM:SS`); this.draw(); return; }
    const kept = this.review.setTime(name, time);
    this.draw(); // where nothing changed, the field still shows what was typed
    this.seek(kept);
    if (Math.abs(kept - time) > 0.05) this.actions.say(`${timeLabel(name)} set at ${precise(kept)}: it cannot pass a time that was set, nor leave what was read`);
  }

  set(name) { this.actions.say(`${timeLabel(name)} set at ${precise(this.review.setTime(name, this.player.shown))}`); }

  // Everything with a moment, in one list.
  marks() {
    const { sightings, findings, comments } = this.review.now;
    const size = (finding) => (finding.size_mm ? `, ${finding.size_mm} mm` : '');
    const entries = [
      ...sightings.map((entry, i) => ['sightings', i, entry, SEEN[entry.kind]]),
      ...findings.map((entry, i) => ['findings', i, entry, `${entry.kind}${size(entry)}${entry.note ? `: ${entry.note}` : ''}`]),
      ...comments.map((entry, i) => ['comments', i, entry, `“${entry.text}”`]),
    ].sort((a, b) => (a[2].time_s ?? -1) - (b[2].time_s ?? -1));
    if (!entries.length) return [el('li', { class: 'note', text: 'Nothing marked yet.' })];
    return entries.map(([list, i, entry, text]) => el('li', {}, [
      entry.time_s === null || entry.time_s === undefined ? el('span', { class: 'note', text: 'all' }) : jump(entry.time_s, (at) => this.seek(at), [clock(entry.time_s)]),
      el('span', { class: 'what', text }),
      ...(list === 'sightings' ? [] : [el('button', { type: 'button', class: 'small', text: 'Edit', 'aria-label': `Edit ${text}`, onclick: () => this.edit(list, i) })]),
      el('button', { type: 'button', class: 'small', text: '×', 'aria-label': `Remove ${text}`, onclick: () => this.review.remove(list, i) }),
    ]));
  }

  mark(kind) {
    if (kind === 'finding' || kind === 'comment') { this.edit(`${kind}s`, null); return; }
    this.review.add('sightings', { kind, time_s: milliseconds(this.player.shown) });
    this.actions.say(`${SEEN[kind]} marked at ${precise(this.player.shown)}`);
  }

  // A new entry (`index` null) or one that is there.
  edit(list, index) {
    const entry = index === null ? { time_s: milliseconds(this.player.shown) } : this.review.now[list][index];
    this.edited = { index, time_s: entry.time_s ?? null };
    if (list === 'findings') {
      for (const [id, value] of [['finding-kind', entry.kind], ['finding-size', entry.size_mm], ['finding-note', entry.note]]) byId(id).value = value ?? '';
      byId('finding-when').textContent = precise(entry.time_s);
      byId('finding-dialog').showModal();
    } else {
      byId('comment-text').value = entry.text ?? '';
      byId('comment-dialog').showModal();
    }
  }

  noteFinding() {
    const size = Number(byId('finding-size').value);
    this.note('findings', { kind: byId('finding-kind').value.trim(), time_s: this.edited.time_s, size_mm: size > 0 ? size : null, note: byId('finding-note').value.trim() }, 'kind');
  }

  noteComment() {
    this.note('comments', { text: byId('comment-text').value.trim(), time_s: this.edited.time_s }, 'text');
  }

  note(list, entry, needed) {
    if (!entry[needed]) return;
    if (this.edited.index === null) this.review.add(list, entry); else this.review.put(list, this.edited.index, entry);
  }

  history() {
    const { history } = data.review;
    byId('history').hidden = !history.length;
    byId('versions').replaceChildren(...history.slice().reverse().map(({ number, by, made, changes }) => el('li', {}, [
      el('b', { text: `Version ${number}` }), ` ${by || 'a person'}, ${made.replace('T', ' ').slice(0, 16)} UTC: ${changes.join(', ') || 'nothing changed'}`])));
  }
}
