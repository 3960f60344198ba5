// Everything that shows a time follows the player; everything that can be clicked moves it.
const player = new Player(byId('picture'), byId('picture-note'));
const seek = (time) => player.seek(time);

showHead();
showFigures(seek);
showBorders(seek);
showStrip(seek);
showFindings(seek);
showUncertain(seek);
showAbout();

const path = new Path3d(byId('path'), seek);
const views = [new Curve(byId('curve'), seek), ...(data.placed ? [new ColonMap(byId('map'), seek)] : []), path, new Readout()];
document.querySelectorAll('[data-turn]').forEach((button) => button.addEventListener('click', () => {
  const step = Number(button.dataset.turn);
  if (step) path.turn(step * 0.35, 0); else path.reset();
}));

const slider = byId('seek');
[slider.min, slider.max] = data.span;
slider.addEventListener('input', () => seek(Number(slider.value)));
byId('play').addEventListener('click', () => player.toggle());
byId('back').addEventListener('click', () => seek(player.now - 5));
byId('forward').addEventListener('click', () => seek(player.now + 5));
byId('speed').addEventListener('change', (event) => { if (player.video) player.video.playbackRate = Number(event.target.value); });
byId('full').addEventListener('click', () => {
  if (document.fullscreenElement) document.exitFullscreen(); else byId('picture').requestFullscreen?.().catch(() => {});
});

function showTime() {
  const time = player.now;
  slider.value = time;
  slider.setAttribute('aria-valuetext', describe(time));
  byId('clock').textContent = `${clock(time)} / ${clock(player.end)}`;
  markStrip(time);
  for (const view of views) view.update(time);
}

function showState() {
  const button = byId('play');
  button.textContent = player.playing ? 'Pause' : 'Play';
  button.setAttribute('aria-label', button.textContent);
  for (const id of ['play', 'speed', 'full']) byId(id).disabled = !player.canPlay;
}

const FRAME_S = 1 / 15;
const KEYS = {
  ' ': () => player.toggle(),
  ArrowLeft: (shift) => seek(player.now - (shift ? 10 : 1)),
  ArrowRight: (shift) => seek(player.now + (shift ? 10 : 1)),
  ',': () => seek(player.now - FRAME_S),
  '.': () => seek(player.now + FRAME_S),
  Home: () => seek(player.start),
  End: () => seek(player.end),
};
// Controls keep the keys they need themselves: space presses a button, arrows move the slider and the list.
document.addEventListener('keydown', (event) => {
  const inside = event.target.closest?.('input, select, button, .scroll');
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  if (inside && !(inside.tagName === 'BUTTON' && event.key !== ' ')) return;
  event.preventDefault();
  KEYS[event.key](event.shiftKey);
});

player.addEventListener('time', showTime);
player.addEventListener('state', showState);
showState();
seek(data.span[0]);
