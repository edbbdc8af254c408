// A self-play game on a board, shown move by move, automatically or by hand.

import { element, make, percent } from "./dom";

interface Guess { move: string; p: number }
interface Frame { lines: number[]; move: string; search?: number[]; policy?: Guess[]; opening?: boolean }
export interface Replay { drawings: string[]; svg: boolean; seats: string[]; games: { title: string; frames: Frame[] }[] }

// Duration of showing a game, minimum and maximum duration of a move, and the pause at the
// end, in milliseconds.
const whole = 20_000, quickest = 80, slowest = 700, end = 2500;

const board = element("board");
const slider = element<HTMLInputElement>("ply");

let replay: Replay | null = null;
let at = 0;
let timer = 0;

function frames(): Frame[] { return replay?.games[0]?.frames ?? []; }

// show shows the position after a number of moves.
function show(to: number): void {
  const all = frames();
  at = Math.max(0, Math.min(all.length - 1, to));
  const frame = all[at];
  if (!replay || !frame) return;
  const drawing = frame.lines.map((line) => replay?.drawings[line] ?? "").join("");
  if (replay.svg) board.innerHTML = drawing;
  else board.replaceChildren(make("pre", drawing));
  const where = at === 0 ? "the start" : `move ${at} of ${all.length - 1}, ${frame.move}`;
  board.setAttribute("aria-label", `Board: ${where}`);
  slider.max = String(all.length - 1);
  slider.value = String(at);
  slider.setAttribute("aria-valuetext", where);
  opinion(replay, frame, all.length - 1);
}

function row(table: HTMLTableElement, tag: "td" | "th", ...cells: string[]): void {
  const line = table.insertRow();
  for (const cell of cells) line.append(make(tag, cell));
}

// opinion shows the evaluation of a position by the search during the game.
function opinion(of: Replay, frame: Frame, last: number): void {
  const box = element("opinion");
  box.replaceChildren(make("h3", at === 0 ? "Start" : `Move ${at} of ${last}: ${frame.move}`));
  if (frame.search) {
    const values = make("table");
    row(values, "th", "", ...of.seats);
    row(values, "td", "expected payoff", ...frame.search.map((v) => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(2)));
    box.append(values);
  }
  if (frame.policy) {
    const moves = make("table");
    row(moves, "th", "search", "");
    for (const guess of frame.policy) row(moves, "td", guess.move, percent(guess.p));
    box.append(moves);
  }
  if (at === last) box.append(make("p", of.games[0]?.title ?? ""));
  else if (frame.opening) box.append(make("p", "The next move belongs to the random opening."));
  else if (!frame.search) box.append(make("p", "The next move came from a short search, which is not recorded."));
}

// open shows another game, from its start.
export function open(game: Replay): void {
  replay = game;
  show(0);
}

// play shows the moves one after the other, and then calls ended.
export function play(ended: () => void): void {
  stop();
  const last = frames().length - 1;
  const pause = at >= last ? end : Math.min(slowest, Math.max(quickest, whole / Math.max(1, last)));
  timer = window.setTimeout(() => {
    if (at >= last) {
      ended();
      return;
    }
    show(at + 1);
    play(ended);
  }, pause);
}

// stop ends play.
export function stop(): void { window.clearTimeout(timer); }

// wire connects the controls. It calls byHand before a user steps through the game.
export function wire(byHand: () => void): void {
  const go = (to: () => number) => () => {
    byHand();
    show(to());
  };
  element("first").addEventListener("click", go(() => 0));
  element("back").addEventListener("click", go(() => at - 1));
  element("next").addEventListener("click", go(() => at + 1));
  element("last").addEventListener("click", go(() => frames().length));
  slider.addEventListener("input", go(() => Number(slider.value)));
}
