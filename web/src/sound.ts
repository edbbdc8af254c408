// Short sounds for moves and the end of a game. They are off until the user switches them on.

import { element } from "./dom";

const key = "tiro sounds";
let context: AudioContext | null = null;

// wire connects the switch, whose state the browser keeps.
export function wire(): void {
  const box = element<HTMLInputElement>("sounds");
  try {
    box.checked = localStorage.getItem(key) === "on";
  } catch {
    // The browser stores nothing for the page.
  }
  box.addEventListener("change", () => {
    play(660);
    try {
      localStorage.setItem(key, box.checked ? "on" : "off");
    } catch {
      // The switch applies to this visit only.
    }
  });
}

// play plays a tone of a frequency in Hz, if sounds are on.
export function play(frequency: number): void {
  if (!element<HTMLInputElement>("sounds").checked) return;
  context ??= new AudioContext();
  void context.resume(); // browsers allow sounds after the first click only
  const tone = context.createOscillator(), volume = context.createGain(), now = context.currentTime;
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0.15, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.12);
}
