// One clock for the page: the overlay video where it can be played, else still frames of the strip.
import { byId, clamp, clock, data, el } from './dom.js';

// The panel below the overlay's picture says what was true when it was drawn: the page says it itself.
const PANEL_PX = 64;
// A frame is seen until the next one; much earlier ones were not presented yet.
const NEAR_S = 0.1;

export class Player extends EventTarget {
  constructor(holder, note) {
    super();
    this.now = data.span[0];
    this.holder = holder;
    this.note = note;
    this.video = null;
    this.still = null;
    if (data.overlay) this.useVideo(); else this.useStills('No overlay video was made for this run');
  }

  useVideo() {
    const source = data.overlay.src === null ? embeddedVideo() : data.overlay.src;
    this.video = el('video', { preload: 'auto', playsinline: '', src: source, 'aria-label': 'Recording', tabindex: '-1' });
    this.video.muted = true;
    this.video.addEventListener('error', () => this.useStills(
      `${data.overlay.name} could not be played: it belongs in the same folder as this page`));
    this.video.addEventListener('loadedmetadata', () => this.fit());
    for (const name of ['play', 'pause', 'ended']) this.video.addEventListener(name, () => this.changed());
    this.video.addEventListener('timeupdate', () => this.follow());
    this.video.addEventListener('click', () => this.toggle());
    const present = (_, { mediaTime }) => { this.presented = mediaTime; this.video?.requestVideoFrameCallback?.(present); };
    this.video.requestVideoFrameCallback?.(present);
    this.holder.append(el('div', { class: 'crop' }, [this.video]));
  }

  fit() {
    const { videoWidth: width, videoHeight: height } = this.video;
    const shown = height - (data.overlay.panel ? PANEL_PX : 0);
    this.holder.style.setProperty('--ratio', width / shown);
    if (this.now > data.shown[0]) this.seek(this.now);
  }

  useStills(reason) {
    this.holder.replaceChildren();
    this.video = null;
    this.note.textContent = data.frames ? '' : data.strip.length ? `${reason}. The nearest frame of the strip is shown instead.` : `${reason}.`;
    this.still = el('img', { alt: '' });
    if (data.strip.length || data.frames) this.holder.append(this.still);
    this.changed();
    this.seek(this.now);
  }

  // When the frame that is seen was taken: the clock may stand between two frames.
  get shown() {
    const taken = (this.presented ?? NaN) + (data.overlay?.start ?? 0);
    return this.video && !this.video.seeking && Math.abs(taken - this.now) < NEAR_S ? taken : this.now;
  }

  get playing() { return Boolean(this.video && !this.video.paused && !this.video.ended); }
  get canPlay() { return Boolean(this.video); }

  toggle() {
    if (!this.video) return;
    if (this.playing) this.video.pause(); else this.video.play().catch(() => {});
  }

  seek(time) {
    this.now = clamp(time, ...data.shown);
    if (this.video && this.video.readyState > 0) this.video.currentTime = Math.max(0, this.now - data.overlay.start);
    if (this.still) this.showStill();
    else if (data.frames) this.showBeyond();
    this.dispatchEvent(new Event('time'));
  }

  // The app has every frame of the recording, the overlay only those of the withdrawal as it was located.
  showBeyond() {
    const beyond = this.video.duration && (this.now < data.overlay.start - 0.1 || this.now > data.overlay.start + this.video.duration);
    if (beyond && !this.beyond) this.holder.append(this.beyond = el('img', { alt: 'Frame outside of the overlay video' }));
    if (this.beyond) this.beyond.hidden = !beyond;
    if (beyond) this.ask(this.beyond);
  }

  // One frame at a time; when it is there, the newest wish is next.
  ask(image) {
    this.wanted = `${data.frames}?t=${this.now.toFixed(2)}`;
    if (image.dataset.waiting) return;
    image.dataset.waiting = 'yes';
    image.src = this.wanted;
    const shown = this.wanted;
    image.onload = image.onerror = () => {
      delete image.dataset.waiting;
      if (this.wanted !== shown) this.ask(image);
    };
  }

  showStill() {
    if (data.frames) { this.still.alt = `Frame at ${clock(this.now)}`; this.ask(this.still); return; }
    const nearest = nearestStill(this.now);
    if (!nearest) return;
    this.still.src = nearest.src;
    this.still.alt = `Frame at ${clock(nearest.t)}`;
  }

  // At rest, and while a seek is on its way, the place that was asked for stays shown.
  follow() {
    if (!this.playing || this.video.seeking) return;
    this.now = clamp(this.video.currentTime + data.overlay.start, ...data.shown);
    this.dispatchEvent(new Event('time'));
  }

  changed() {
    this.dispatchEvent(new Event('state'));
    const step = () => {
      if (!this.playing) return;
      this.follow();
      requestAnimationFrame(step);
    };
    step();
  }
}

export function nearestStill(time) {
  return data.strip.reduce((best, item) => (!best || Math.abs(item.t - time) < Math.abs(best.t - time) ? item : best), null);
}

function embeddedVideo() {
  const binary = atob(byId('video-data').textContent);
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: 'video/mp4' }));
}
