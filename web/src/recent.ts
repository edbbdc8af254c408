// The games that this browser has shown, newest first, so that the user can return to them.

import { element, make } from "./dom";
import type { View } from "./view";

interface Recent { id: string; text: string }

const key = `tiro recent ${new URL(".", location.href).pathname}`; // pages may share an origin
const most = 20;

function all(): Recent[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one: Recent) => typeof one?.id === "string" && typeof one.text === "string") : [];
  } catch {
    return []; // the browser stores nothing for the page, or the stored text is not a list
  }
}

// note stores a game with its players and its progress.
export function note(view: View, playerText: (player: string) => string): void {
  const players = view.seats.map((seat) => playerText(seat.player)).join(" – ");
  const state = view.result === "" ? `move ${view.turns.length}` : view.result;
  const games = [{ id: view.id, text: `${view.title}: ${players}, ${state}` }, ...all().filter((one) => one.id !== view.id)];
  try {
    localStorage.setItem(key, JSON.stringify(games.slice(0, most)));
  } catch {
    // Without storage the list is empty.
  }
}

// show lists the games in the dialog.
export function show(): void {
  const games = all();
  element("recent").hidden = games.length === 0;
  element("recent-games").replaceChildren(...games.map(({ id, text }) => {
    const row = make("li"), link = make("a", text);
    link.href = `#${id}`;
    row.append(link);
    return row;
  }));
}
