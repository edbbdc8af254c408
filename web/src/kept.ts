// Games that a static page stores in the browser, with their latest moves.

const most = 50;
const prefix = `tiro ${new URL(".", location.href).pathname} `; // pages may share an origin
const order = `${prefix}order`;

function ids(): string[] {
  const text = localStorage.getItem(order) ?? "";
  return text === "" ? [] : text.split(" ");
}

// all returns the stored games by their identifiers.
export function all(): Record<string, string> {
  const games: Record<string, string> = {};
  try {
    for (const id of ids()) {
      const game = localStorage.getItem(prefix + id);
      if (game !== null) games[id] = game;
    }
  } catch {
    // The browser stores nothing for the page, so that games end with the page.
  }
  return games;
}

// keep stores a game, and removes the oldest games if there are too many or the storage is
// full.
export function keep(id: string, game: string): void {
  try {
    const kept = [...ids().filter((other) => other !== id), id];
    const dropOldest = (): void => localStorage.removeItem(prefix + (kept.shift() ?? ""));
    while (kept.length > most) dropOldest();
    while (kept.length > 0 && !stored(prefix + id, game)) dropOldest();
    localStorage.setItem(order, kept.join(" "));
  } catch {
    // The browser stores nothing for the page.
  }
}

// stored reports whether a text could be stored.
function stored(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
