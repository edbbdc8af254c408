// The end of a game: who has won, the places and the reason.

import { capitalized, element, make } from "./dom";
import { human } from "./view";
import type { View } from "./view";

const ordinals = ["first", "second", "third", "fourth"];

// reason returns the name of an ending as words.
function reason(ending: string): string {
  return ending.replace("k-in-row", "a complete row").replace("in-row", "in-a-row").replaceAll("-", " ");
}

// headline returns the result as the user sees it.
function headline(view: View, places: number[]): string {
  const winners = view.seats.filter((_, seat) => places[seat] === 1).map((seat) => seat.name);
  const mine = view.seats.flatMap((seat, i) => (seat.player === human ? [places[i] ?? 0] : []));
  if (winners.length === view.seats.length) return "A draw";
  if (mine.length !== 1) return capitalized(`${new Intl.ListFormat("en-GB").format(winners)} ${winners.length === 1 ? "wins" : "share the win"}`);
  if (mine[0] === 1) return winners.length === 1 ? "You win" : "You share the win";
  return view.seats.length === 2 ? "You lose" : `You are ${ordinals[(mine[0] ?? 1) - 1]}`;
}

// show shows the end of a game, unless it is not over. playerText returns the name of a player.
export function show(view: View, playerText: (view: View, player: string) => string): void {
  const over = view.result !== "", places = view.places, moves = view.turns.length;
  element("end").hidden = !over;
  element("board-side").classList.toggle("over", over);
  if (!over) return;
  element("end-title").textContent = places ? headline(view, places) : "The game is over";
  element("end-reason").textContent = `${view.result.replace(/ \([^()]*\)$/, "")}${view.ending === "" ? "" : `: ${reason(view.ending)}`}, after ${moves} ${moves === 1 ? "move" : "moves"}.`;
  const ranked = places && view.seats.length > 2 ? view.seats.map((seat, i) => ({ seat, place: places[i] ?? 0 })) : [];
  ranked.sort((a, b) => a.place - b.place);
  element("end-places").replaceChildren(...ranked.map(({ seat, place }) => {
    const row = make("li", `${seat.name} (${playerText(view, seat.player)})`);
    row.value = place;
    return row;
  }));
}
