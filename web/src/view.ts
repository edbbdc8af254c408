// The answers of the program behind the transport. Package web/host describes them.

export interface Player { name: string; text: string }
export interface Offer { game: string; title: string; seats: string[]; players: Player[]; rules: string; analyst: string }
export interface Turn { text: string; seat: number; ply: number; did: string }
export interface Variation { line: number; ply: number; seat: number; turns: string[]; more: boolean }
export interface View {
  id: string; version: number; game: string; title: string; seats: { name: string; player: string }[];
  ply: number; turn: number; person: boolean; thinking: boolean; mid_turn: boolean; prompt: string;
  board: string; text: string; legal: string[]; claim: string; turns: Turn[]; lines: Variation[]; values: (number[] | null)[]; losses: (number | null)[];
  result: string; ending: string; places: number[] | null; sgf: boolean; trouble: string; note: string;
}
export interface Line { move: string; share: number; visits: number; prior: number; pv: string[] }
export interface Position { ply: number; board: string; text: string; turn: number; lines: Line[] }

export const human = "human";

// nameOf returns the name of a seat.
export function nameOf(view: View, seat: number): string { return view.seats[seat]?.name ?? ""; }

// told returns a turn as text: its player, its moves and its effects.
export function told(view: View, turn: Turn): string {
  return `${nameOf(view, turn.seat)}: ${turn.text}${turn.did === "" ? "" : ` (${turn.did})`}`;
}

// before returns the number of actions before a turn.
export function before(view: View, turn: number): number { return turn > 0 ? view.turns[turn - 1]?.ply ?? 0 : 0; }

// lossOf returns the loss of win chance by a turn, null if it is not known yet.
export function lossOf(view: View, number: number): number | null {
  let sum = 0;
  for (const loss of view.losses.slice(before(view, number), view.turns[number]?.ply ?? 0)) {
    if (loss === null) return null;
    sum += loss;
  }
  return sum;
}

// Names of turns that lose at least this win chance: 20, 10 and 5 percent after rounding for
// display.
const judgements: [number, string][] = [[0.195, "blunder"], [0.095, "mistake"], [0.045, "inaccuracy"]];

// notable is the minimum loss of a turn that is marked.
export const notable = 0.045;

// judge returns the name of a loss, "" for none.
export function judge(loss: number | null): string {
  return judgements.find(([least]) => loss !== null && loss >= least)?.[1] ?? "";
}

// points formats a loss of win chance.
export function points(loss: number): string { return `−${Math.round(100 * loss)}%`.replace("−0%", "0%"); }
