// Games that the browser keeps for a static page, those of the latest moves.

const most = 50;
const prefix = `tiro ${new URL(".", location.href).pathname} `; // pages may share an origin
const order = `${prefix}order`;

function ids(): string[] {
  const text = localStorage.getItem(order) ?? "";
  return text === "" ? [] : text.split(" ");
}

// all returns what is kept, by the games' identifiers.
export function all(): Record<string, string> {
  const games: Record<string, string> = {};
  try {
    for (const id of ids()) {
      const game = localStorage.getItem(prefix + id);
      if (game !== null) games[id] = game;
    }
  } catch {
    // A browser that keeps nothing for the page: its games end with it.
  }
  return games;
}

// keep keeps a game, and drops the oldest ones if there are too many.
export function keep(id: string, game: string): void {
  try {
    const kept = [...ids().filter((other) => other !== id), id];
    while (kept.length > most) localStorage.removeItem(prefix + (kept.shift() ?? ""));
    localStorage.setItem(order, kept.join(" "));
    localStorage.setItem(prefix + id, game);
  } catch {
    // As above.
  }
}
