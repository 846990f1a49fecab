// Sounds, if they are wanted: a click for a stone that this page did not place, and a tone for the end of a game.

import { byId } from "./dom.js";

let audio = null;
/** The point of a stone that this page places. */
let expected = null;

/** Takes the point of a stone that this page places, which makes no sound. */
export function expect(point) {
  expected = point;
}

/** Lets hear what is new since an older state. Moves that are gone through or opened are silent. */
export function update(old, { running, moves, shown, over }) {
  if (!old || !running || shown !== moves.length) return;
  const last = moves.at(-1)?.at;
  const isNew = shown > old.shown && old.moves[shown - 1]?.at !== last;
  const isOthers = isNew && last !== expected;
  if (isNew) expected = null;
  if (over && !old.over && (isNew || shown === old.shown)) play(392, 0.7);
  else if (isOthers) play(1320, 0.06);
}

/** Plays a tone of this frequency that fades in so many seconds. */
function play(frequency, time) {
  // Browsers let no page be heard that nobody has touched.
  if (!byId("sounds").checked || document.hidden || navigator.userActivation?.hasBeenActive === false) return;
  audio ??= new AudioContext();
  audio.resume();
  const tone = audio.createOscillator(), volume = audio.createGain(), now = audio.currentTime;
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0.3, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + time);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(now + time);
}
