// One clock for the page: the overlay video where it can be played, else still frames of the strip.
class Player extends EventTarget {
  constructor(holder, note) {
    super();
    [this.start, this.end] = data.span;
    this.now = this.start;
    this.holder = holder;
    this.note = note;
    this.video = null;
    this.still = null;
    if (data.overlay) this.useVideo(); else this.useStills('No overlay video was made for this run');
  }

  useVideo() {
    const source = data.overlay.src === null ? embeddedVideo() : data.overlay.src;
    this.video = el('video', { preload: 'auto', playsinline: '', src: source, 'aria-label': 'Recording with overlay', tabindex: '-1' });
    this.video.muted = true;
    this.video.addEventListener('error', () => this.useStills(
      `${data.overlay.name} could not be played: it belongs in the same folder as this page`));
    this.video.addEventListener('loadedmetadata', () => this.fit());
    for (const name of ['play', 'pause', 'ended']) this.video.addEventListener(name, () => this.changed());
    this.video.addEventListener('timeupdate', () => this.follow());
    this.video.addEventListener('click', () => this.toggle());
    this.holder.append(this.video);
  }

  fit() {
    this.holder.style.aspectRatio = `${this.video.videoWidth} / ${this.video.videoHeight}`;
    if (this.now > this.start) this.seek(this.now);
  }

  useStills(reason) {
    if (this.video) this.video.remove();
    this.video = null;
    this.note.textContent = data.strip.length ? `${reason}. The nearest frame of the strip is shown instead.` : `${reason}.`;
    this.still = el('img', { alt: '' });
    if (data.strip.length) this.holder.append(this.still);
    this.changed();
    this.seek(this.now);
  }

  get playing() { return Boolean(this.video && !this.video.paused && !this.video.ended); }
  get canPlay() { return Boolean(this.video); }

  toggle() {
    if (!this.video) return;
    if (this.playing) this.video.pause(); else this.video.play().catch(() => {});
  }

  seek(time) {
    this.now = clamp(time, this.start, this.end);
    if (this.video && this.video.readyState > 0) this.video.currentTime = Math.max(0, this.now - data.overlay.start);
    if (this.still) this.showStill();
    this.dispatchEvent(new Event('time'));
  }

  showStill() {
    const nearest = nearestStill(this.now);
    if (!nearest) return;
    this.still.src = nearest.src;
    this.still.alt = `Frame at ${clock(nearest.t)}`;
  }

  // While a seek is on its way the video still reports the old time: the place asked for stays shown.
  follow() {
    if (!this.video || this.video.seeking) return;
    this.now = clamp(this.video.currentTime + data.overlay.start, this.start, this.end);
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

function nearestStill(time) {
  return data.strip.reduce((best, item) => (!best || Math.abs(item.t - time) < Math.abs(best.t - time) ? item : best), null);
}

function embeddedVideo() {
  const binary = atob(byId('video-data').textContent);
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: 'video/mp4' }));
}
