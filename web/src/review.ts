// The review of a game: each move with the analyst's evaluation.

import { draw, showMove } from "./board";
import { element, make, percent } from "./dom";
import type { Transport } from "./transport";
import { before, judge, lossOf, notable, points, told } from "./view";
import type { Position, View } from "./view";

let at = -1; // the number of turns that are on the board, -1 if there is no review
let shown = ""; // key of the position on the board

// turn returns the reviewed turn: null without a review, -1 at the start of the game.
export function turn(): number | null { return at < 0 ? null : at - 1; }

// ply returns the number of actions before the position on the board, null without a review.
export function ply(view: View): number | null { return at < 0 ? null : before(view, at); }

// begin begins or continues a review after a number of turns.
export function begin(view: View, turns: number): void {
  at = Math.max(0, Math.min(view.turns.length, turns));
  shown = "";
  element("board-side").classList.add("reviewing");
}

// end ends the review.
export function end(): void {
  at = -1;
  element("board-side").classList.remove("reviewing");
}

// redraw draws the reviewed position again at the next call of show.
export function redraw(): void { shown = ""; }

// step moves the review by a number of turns, which may be negative.
export function step(view: View, by: number): void { begin(view, at + by); }

// nextMistake goes to the next notable turn. After the last one it starts again.
export function nextMistake(view: View): void {
  const n = view.turns.length;
  for (let i = 0; i < n; i++) {
    const number = (at + i) % n;
    if ((lossOf(view, number) ?? 0) >= notable) {
      begin(view, number + 1);
      return;
    }
  }
}

// counts returns the number of notable turns of each seat as text.
function counts(view: View): string {
  const unknown = view.turns.filter((_, i) => lossOf(view, i) === null).length;
  if (unknown > 0) return `${view.turns.length - unknown} of ${view.turns.length} moves analysed so far.`;
  return view.seats.map((seat, number) => {
    const words = view.turns.flatMap((turn, i) => (turn.seat === number ? [judge(lossOf(view, i))] : []));
    const found = ["blunder", "mistake", "inaccuracy"].flatMap((word) => {
      const n = words.filter((one) => one === word).length;
      return n === 0 ? [] : [`${n} ${n === 1 ? word : word === "inaccuracy" ? "inaccuracies" : `${word}s`}`];
    });
    return `${seat.name}: ${found.length === 0 ? "no mistakes" : found.join(", ")}`;
  }).join(". ") + ".";
}

// describe returns the move on the board and, if judged is set, its loss as text.
function describe(view: View, judged: boolean): string {
  const turn = view.turns[at - 1];
  if (!turn) return "The start of the game";
  const loss = judged ? lossOf(view, at - 1) : null, lost = points(loss ?? 0);
  const verdict = loss === null ? "" : ` — ${judge(loss) || "good"}${lost === "0%" ? "" : `, ${lost} win chance`}`;
  return `Move ${at} of ${view.turns.length}: ${told(view, turn)}${verdict}`;
}

// show shows the reviewed position and, if judged is set, its evaluation and the best alternatives to
// the last move.
export async function show(view: View, judged: boolean, transport: Transport, say: (text: string) => void): Promise<void> {
  if (at < 0) return;
  at = Math.min(at, view.turns.length);
  say(describe(view, judged));
  element("review-counts").textContent = judged ? counts(view) : "";
  for (const [id, none] of [["review-first", at === 0], ["review-back", at === 0], ["review-next", at === view.turns.length], ["review-last", at === view.turns.length]] as const) {
    element<HTMLButtonElement>(id).disabled = none;
  }
  element<HTMLButtonElement>("review-mistake").disabled = !judged || !view.turns.some((_, i) => (lossOf(view, i) ?? 0) >= notable);
  element<HTMLButtonElement>("review-play").disabled = at === view.turns.length;
  const wanted = `${view.id} ${view.version} ${at} ${judged}`;
  if (wanted === shown) return;
  shown = wanted;
  const ask = (ply: number): Promise<Position> => transport.ask<Position>(`games/${view.id}/positions/${ply}`);
  const answers = Promise.all([ask(before(view, at)), at > 0 ? ask(before(view, at - 1)) : null]);
  answers.catch(() => { if (shown === wanted) redraw(); }); // it is not on the board
  const [position, earlier] = await answers;
  if (shown !== wanted || at < 0) return;
  draw(position.board, position.text);
  showMove(view.turns[at - 1]?.text ?? "");
  const best = element("review-lines"), lines = judged ? earlier?.lines ?? [] : [];
  best.replaceChildren(...lines.map((line) => make("li", `${line.pv.join(" ")} — ${percent(line.share)} win chance`)));
  element("review-best").hidden = lines.length === 0;
}
