// The games that this browser has shown, newest first, so that the user can return to them.

import { element, make } from "./dom";
import type { View } from "./view";

// A game with the time of its last change, in milliseconds since 1970.
interface Recent { id: string; title: string; players: string; state: string; at: number }

const key = `tiro recent ${new URL(".", location.href).pathname}`; // pages may share an origin
const most = 20;

function all(): Recent[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one: Recent) => typeof one?.id === "string" && typeof one.at === "number") : [];
  } catch {
    return []; // the browser stores nothing for the page, or the stored text is not a list
  }
}

// note stores a game with its players and its progress.
export function note(view: View, playerText: (view: View, player: string) => string): void {
  const players = view.seats.map((seat) => playerText(view, seat.player)).join(" – ");
  const state = view.result === "" ? `move ${view.turns.length}` : view.result;
  const before = all(), old = before.find((one) => one.id === view.id);
  const at = old?.state === state ? old.at : Date.now();
  const games = [{ id: view.id, title: view.title, players, state, at }, ...before.filter((one) => one.id !== view.id)];
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
  element("recent-games").replaceChildren(...games.map(({ id, title, players, state, at }) => {
    const row = make("li"), link = make("a", title);
    link.href = `#${id}`;
    const when = make("time", new Date(at).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }));
    when.dateTime = new Date(at).toISOString();
    row.append(link, ` ${players}; ${state} `, when);
    return row;
  }));
}
