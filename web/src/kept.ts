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

// keep keeps a game, and drops the oldest ones if there are too many or no room is left.
export function keep(id: string, game: string): void {
  try {
    const kept = [...ids().filter((other) => other !== id), id];
    const dropOldest = (): void => localStorage.removeItem(prefix + (kept.shift() ?? ""));
    while (kept.length > most) dropOldest();
    while (kept.length > 0 && !stored(prefix + id, game)) dropOldest();
    localStorage.setItem(order, kept.join(" "));
  } catch {
    // As above.
  }
}

// stored reports whether there was room to store a text.
function stored(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
