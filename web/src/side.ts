// The panel beside the board: seats, win chances, moves.

import { element, make, percent } from "./dom";
import { judge, lossOf, nameOf, notable, points } from "./view";
import type { Variation, View } from "./view";

const colours = ["#0072b2", "#d55e00", "#009e73", "#8f5aa8"]; // of seats in pictures without colours

// colourOf returns the colour of a seat: the colour of its pieces on the board.
function colourOf(view: View, seat: number): string {
  const own = /data-seats="([^"]*)"/.exec(view.board)?.[1]?.split(" ");
  return own?.[seat] ?? colours[seat % colours.length] ?? "";
}

// showSeats shows the players. Unless ply is null, it adds the win chances after ply actions,
// or the last known ones before. playerText returns the name of a player.
export function showSeats(view: View, ply: number | null, playerText: (view: View, player: string) => string): void {
  const latest = ply === null ? null : view.values.slice(0, ply + 1).reverse().find((value) => value !== null) ?? null;
  element("seats").replaceChildren(...view.seats.map((seat, i) => {
    const box = make("div", "", i === view.turn ? "seat turn" : "seat");
    const share = latest?.[i];
    const name = make("div");
    name.append(swatch(colourOf(view, i)), seat.name, " ", make("span", playerText(view, seat.player), "who"));
    box.append(name, make("div", share === undefined ? "" : percent(share), "chance"));
    if (share !== undefined) {
      const meter = make("meter");
      meter.max = 1;
      meter.value = share;
      meter.setAttribute("aria-label", `Win chance of ${seat.name}`);
      box.append(meter);
    }
    return box;
  }));
}

function swatch(colour: string): HTMLElement {
  const dot = make("span", "", "swatch");
  dot.style.background = colour;
  return dot;
}

// The graph's box of win chances, in units of its picture.
const left = 10, width = 300, top = 10, height = 90;

// showGraph draws the win chances over the game, marks notable turns and, unless at is null,
// the position after at actions.
export function showGraph(view: View, at: number | null): void {
  const last = Math.max(1, view.values.length - 1);
  const x = (ply: number): string => (left + width * ply / last).toFixed(1);
  const y = (share: number): string => (top + height * (1 - share)).toFixed(1);
  const lines = view.seats.map((_, i) => {
    const known = view.values.map((value, ply) => (value ? `${x(ply)},${y(value[i] ?? 0)}` : "")).filter((point) => point !== "");
    const points = known.join(" ");
    return `<polyline class="edge" points="${points}"/><polyline stroke="${colourOf(view, i)}" points="${points}"/>`;
  });
  const dots = view.turns.map((turn, i) => {
    const share = view.values[turn.ply]?.[turn.seat];
    return share !== undefined && (lossOf(view, i) ?? 0) >= notable ? `<circle fill="${colourOf(view, turn.seat)}" cx="${x(turn.ply)}" cy="${y(share)}" r="3.5"/>` : "";
  });
  const cursor = at === null ? "" : `<line class="cursor" x1="${x(at)}" x2="${x(at)}" y1="${top - 5}" y2="${top + height + 5}"/>`;
  element("graph").innerHTML = `<line class="half" x1="${left}" x2="${left + width}" y1="${y(1 / view.seats.length)}" y2="${y(1 / view.seats.length)}"/>${lines.join("")}${dots.join("")}${cursor}`;
}

// pointedAt returns the number of actions at a point of the graph.
export function pointedAt(view: View, event: MouseEvent): number {
  const box = element("graph").getBoundingClientRect(), last = Math.max(1, view.values.length - 1);
  const unit = box.width / (2 * left + width);
  return Math.round(Math.max(0, Math.min(1, ((event.clientX - box.left) / unit - left) / width)) * last);
}

// Actions of the list of moves.
export interface Actions { goto(turn: number): void; change(line: number): void }

// lineOf returns an abandoned line as an entry of the list.
function lineOf(view: View, line: Variation, actions: Actions): HTMLElement {
  const text = line.turns.join(" ") + (line.more ? " …" : "");
  const button = make("button", `↳ ${text}`, "line");
  button.type = "button";
  button.setAttribute("aria-label", `Switch to the line ${nameOf(view, line.seat)}: ${text}`);
  button.addEventListener("click", () => actions.change(line.line));
  return button;
}

let scrolled = ""; // the position to which the list of moves was scrolled last

// showTurns lists the moves with the lines abandoned there, and if judged is set their losses.
// It marks the reviewed turn, unless that is null.
export function showTurns(view: View, reviewed: number | null, judged: boolean, actions: Actions): void {
  const list = element("turns");
  const focused = [...list.querySelectorAll("button.move")].indexOf(document.activeElement as HTMLElement);
  let next = 0; // first action whose lines have not been listed
  const rows = view.turns.map((turn, i) => {
    const row = make("li"), button = make("button", `${nameOf(view, turn.seat)}: ${turn.text}`, "move");
    button.type = "button";
    if (turn.did !== "") button.title = turn.did;
    if (i === reviewed) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => actions.goto(i));
    row.append(button);
    const loss = judged ? lossOf(view, i) : null, word = judge(loss);
    if (loss !== null && loss >= notable) row.append(make("span", ` ${word} ${points(loss)}`, "drop"));
    for (const line of view.lines) if (line.ply >= next && line.ply < turn.ply) row.append(lineOf(view, line, actions));
    next = turn.ply;
    return row;
  });
  const open = view.lines.filter((line) => line.ply >= next);
  if (open.length > 0) {
    const row = make("li", "", "left");
    row.append(...open.map((line) => lineOf(view, line, actions)));
    rows.push(row);
  }
  list.replaceChildren(...rows);
  list.querySelectorAll<HTMLElement>("button.move")[focused]?.focus();
  const place = `${view.id} ${view.ply} ${reviewed}`;
  if (place === scrolled) return; // the user may have scrolled the list
  scrolled = place;
  // scrollIntoView would also scroll the page.
  const row = reviewed === null ? undefined : rows[Math.max(0, reviewed)];
  list.scrollTop = row ? row.offsetTop - list.offsetTop - list.clientHeight / 2 : list.scrollHeight;
}
