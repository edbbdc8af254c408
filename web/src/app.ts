// The page: shows a game as the program behind the transport describes it, and sends what
// a person does. All rules are the program's.

import { element, paragraphs, percent } from "./dom";
import * as review from "./review";
import * as side from "./side";
import type { Transport } from "./transport";
import { human, told } from "./view";
import type { Line, Offer, View } from "./view";

const board = element("board");
const status = element("status");
const choices = element("choices");
const moveInput = element<HTMLInputElement>("move");
const newDialog = element<HTMLDialogElement>("new-dialog");
const rulesDialog = element<HTMLDialogElement>("rules-dialog");
const gameChoice = element<HTMLSelectElement>("game-choice");

let offers: Offer[] = [];
let game: View | null = null;
let clicked: string[] = []; // cells, in order
let hinted: Line[] = []; // the best moves, if somebody has asked for them
let sending: View | null = null; // the position shown, if a move from it is on its way
let transport: Transport;
let unwatch = (): void => {}; // ends the events of the game shown

function say(text: string, bad = false): void {
  if (status.textContent !== text) status.textContent = text; // or it would be read out again
  status.classList.toggle("bad", bad);
}

// run does something that may fail, and says why it did.
function run(action: () => Promise<void>): void {
  action().catch((fault: unknown) => say(fault instanceof Error ? fault.message : String(fault), true));
}

// cellsOf returns the cells in an action's name, in order: the longest names first, so
// that c3a is not taken for c3.
function cellsOf(action: string, cells: Set<string>): string[] {
  const found: string[] = [];
  for (let i = 0; i < action.length;) {
    let length = Math.min(8, action.length - i);
    while (length > 0 && !cells.has(action.slice(i, i + length))) length--;
    if (length > 0) found.push(action.slice(i, i + length));
    i += Math.max(1, length);
  }
  return found;
}

// reachable returns the legal actions that begin with the cells clicked so far.
function reachable(view: View, cells: Set<string>): { action: string; path: string[] }[] {
  return view.legal
    .map((action) => ({ action, path: cellsOf(action, cells) }))
    .filter(({ path }) => clicked.every((cell, i) => path[i] === cell));
}

function drawBoard(view: View): void {
  board.innerHTML = view.board;
  element("text").textContent = view.text;
  markBoard(view);
}

function markBoard(view: View): void {
  const shapes = [...board.querySelectorAll<SVGElement>("[data-cell]")];
  const cells = new Set(shapes.map((shape) => shape.dataset["cell"] ?? ""));
  const open = reachable(view, cells);
  const next = new Set(open.map(({ path }) => path[clicked.length]).filter((cell) => cell !== undefined));
  const named = new Set<string>(); // one shape a cell is in the order of the Tab key
  for (const shape of shapes) {
    const cell = shape.dataset["cell"] ?? "";
    const can = next.has(cell), chosen = clicked.includes(cell);
    shape.classList.toggle("can", can);
    shape.classList.toggle("chosen", chosen);
    if ((can || chosen) && !named.has(cell)) {
      named.add(cell);
      shape.setAttribute("tabindex", "0");
      shape.setAttribute("role", "button");
      shape.setAttribute("aria-label", chosen ? `${cell}, chosen` : cell);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) shape.removeAttribute(name);
    }
  }
  // Something to be looked at, unless parts of it can be pressed.
  board.querySelector("svg")?.setAttribute("role", named.size > 0 ? "group" : "img");
  showChoices(view, open);
}

// showChoices offers as buttons what cannot be pointed at: actions without a cell, and
// those that the cells clicked so far do not tell apart.
function showChoices(view: View, open: { action: string; path: string[] }[]): void {
  const offered = open.filter(({ path }) => path.length === clicked.length);
  choices.replaceChildren(...offered.map(({ action }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action === view.claim ? "Claim a draw" : action;
    button.addEventListener("click", () => run(() => play(view, action)));
    return button;
  }));
}

function click(cell: string): void {
  if (!game?.person || review.turn() !== null) return;
  const view = game;
  const cells = new Set([...board.querySelectorAll<SVGElement>("[data-cell]")].map((shape) => shape.dataset["cell"] ?? ""));
  clicked.push(cell);
  let open = reachable(view, cells);
  if (open.length === 0) { // begin anew with this cell
    clicked = clicked.at(-2) === cell ? [] : [cell];
    open = reachable(view, cells);
    if (open.length === 0) clicked = [];
  }
  const only = open[0];
  if (clicked.length > 0 && open.length === 1 && only && only.path.length === clicked.length) {
    run(() => play(view, only.action));
    return;
  }
  markBoard(view);
}

async function play(view: View, move: string): Promise<void> {
  clicked = [];
  if (sending) return; // a second click
  sending = view;
  try {
    show(await transport.ask<View>(`games/${view.id}/play`, { ply: view.ply, move }));
  } finally {
    if (sending === view) sending = null; // or the next move was made before this answer
  }
}

function describe(view: View): string {
  if (view.trouble) return view.trouble;
  if (view.result) return `${view.result}.`;
  const seat = view.seats[view.turn];
  if (!seat) return "";
  const last = view.turns.at(-1);
  const moved = last ? `${told(view, last)}. ` : "";
  const note = moved + (view.note ? `${view.note}! ` : "");
  if (!view.person) return `${note}${seat.name} is thinking …`;
  if (view.mid_turn) return `${note}Now choose ${view.prompt || "what comes next"}`;
  return `${note}${seat.name} to move`;
}

function show(view: View): void {
  if (game?.id === view.id && view.version < game.version) return; // an answer that was overtaken by a newer one
  if (game?.id !== view.id) review.end();
  if (game?.id !== view.id || view.ply !== game.ply) { // another position
    clicked = [];
    sending = null; // its events may come before the answer to the move that led to it
    forgetHint();
  }
  game = view;
  element("title").textContent = view.title;
  document.title = `${view.title} · Tiro`;
  element("legal").replaceChildren(...view.legal.map((name) => new Option(name, name)));
  element<HTMLButtonElement>("undo").disabled = view.ply === 0;
  element<HTMLButtonElement>("resign").disabled = !view.person || view.seats.length !== 2;
  element<HTMLButtonElement>("hint").disabled = !view.person;
  element<HTMLButtonElement>("review").disabled = view.turns.length === 0;
  moveInput.disabled = !view.person;
  if (!view.person) forgetHint();
  const ply = review.ply(view);
  side.showSeats(view, ply ?? view.ply);
  side.showGraph(view, ply);
  side.showTurns(view, review.turn(), { goto: (turn) => look(turn + 1), change: (line) => change("line", { line }) });
  if (ply === null) showBoard(view);
  else run(() => review.show(view, transport, say));
}

// showBoard shows the board as it is, to be played on.
function showBoard(view: View): void {
  const focused = document.activeElement?.getAttribute("data-cell");
  say(describe(view), view.trouble !== "");
  drawBoard(view);
  heat();
  if (focused) board.querySelector<SVGElement>(`[data-cell="${CSS.escape(focused)}"][tabindex]`)?.focus();
}

// look reviews the game after so many turns.
function look(turns: number): void {
  if (!game) return;
  clicked = [];
  choices.replaceChildren();
  review.begin(game, turns);
  show(game);
}

// change asks for a change of the game, and shows what comes of it.
function change(what: string, more: object = {}): void {
  run(async () => {
    if (!game) return;
    const view = await transport.ask<View>(`games/${game.id}/${what}`, { ply: game.ply, ...more });
    review.end();
    show(view);
  });
}

function open(id: string): void {
  unwatch();
  newDialog.close();
  if (location.hash !== `#${id}`) history.replaceState(null, "", `#${id}`);
  unwatch = transport.watch(id, () => run(async () => {
    const view = await transport.ask<View>(`games/${id}`);
    if (location.hash === `#${id}`) show(view);
  }));
}

function fillSeats(): void {
  const offer = offers[gameChoice.selectedIndex];
  if (!offer) return;
  element("seat-choices").replaceChildren(...offer.seats.map((name, i) => {
    const label = document.createElement("label");
    label.append(name, " ");
    const select = document.createElement("select");
    select.append(new Option("Person", human), ...offer.players.map((player) => new Option(player.text, player.name)));
    const first = offer.players[0];
    if (i > 0 && first) select.value = first.name;
    label.append(select);
    return label;
  }));
}

async function begin(): Promise<void> {
  const offer = offers[gameChoice.selectedIndex];
  if (!offer) return;
  const seats = [...element("seat-choices").querySelectorAll("select")].map((select) => select.value);
  const view = await transport.ask<View>("games", { game: offer.game, seats });
  moveInput.value = "";
  show(view);
  open(view.id);
}

async function hint(): Promise<void> {
  if (!game) return;
  const view = game;
  say("Looking for the best moves …");
  const lines = await transport.ask<Line[]>(`games/${view.id}/hint`, { ply: view.ply });
  if (game.id !== view.id || game.ply !== view.ply) return;
  say(describe(view));
  hinted = lines;
  heat();
  element("hints").replaceChildren(...lines.map((line) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = line.move;
    button.addEventListener("click", () => run(() => play(view, line.move)));
    row.append(button, ` ${percent(line.share)} win chance; ${line.pv.slice(0, 6).join(" ")}`);
    return row;
  }));
}

// forgetHint takes the best moves away, which were those of another position.
function forgetHint(): void {
  hinted = [];
  element("hints").replaceChildren();
}

// heat colours the places of the moves that the network likes, the more the likelier.
function heat(): void {
  const shapes = [...board.querySelectorAll<SVGElement>("[data-cell]")];
  const cells = new Set(shapes.map((shape) => shape.dataset["cell"] ?? ""));
  const most = Math.max(...hinted.map((line) => line.prior), 0);
  const warmth = new Map<string, number>();
  for (const line of hinted) {
    for (const cell of cellsOf(line.move, cells)) warmth.set(cell, Math.max(warmth.get(cell) ?? 0, most > 0 ? line.prior / most : 0));
  }
  for (const shape of shapes) {
    const warm = warmth.get(shape.dataset["cell"] ?? "") ?? 0;
    shape.classList.toggle("warm", warm > 0);
    shape.style.setProperty("--warm", `${Math.round(20 + 60 * warm)}%`);
  }
}

// save has the browser download the game as text.
async function save(): Promise<void> {
  if (!game) return;
  const { record } = await transport.ask<{ record: string }>(`games/${game.id}/record`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "text/plain" }));
  link.download = "game.tiro";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// wireReview lets people go through the game.
function wireReview(): void {
  const on = (id: string, act: (view: View) => void): void => element(id).addEventListener("click", () => {
    if (!game) return;
    act(game);
    show(game);
  });
  element("review").addEventListener("click", () => {
    look(game?.turns.length ?? 0);
    element("review-back").focus({ preventScroll: true });
  });
  on("review-first", (view) => review.begin(view, 0));
  on("review-back", (view) => review.step(view, -1));
  on("review-next", (view) => review.step(view, 1));
  on("review-last", (view) => review.begin(view, view.turns.length));
  on("review-mistake", (view) => review.nextMistake(view));
  on("review-end", () => review.end());
  element("review-play").addEventListener("click", () => {
    if (game) change("back", { to: review.ply(game) ?? game.ply });
  });
  element("graph").addEventListener("click", (event) => {
    if (!game) return;
    const ply = side.pointedAt(game, event);
    look(game.turns.filter((turn) => turn.ply <= ply).length);
  });
  document.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!game || by === undefined || review.turn() === null || (event.target as Element).matches("input, select, dialog *")) return;
    event.preventDefault();
    review.step(game, by);
    show(game);
  });
}

function wire(): void {
  board.addEventListener("click", (event) => {
    const cell = (event.target as Element).closest("[data-cell]")?.getAttribute("data-cell");
    if (cell) click(cell);
  });
  board.addEventListener("keydown", (event) => {
    const cell = (event.target as Element).getAttribute("data-cell");
    if (cell && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      click(cell);
    }
  });
  element("move-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const view = game, move = moveInput.value.trim();
    if (!view || move === "") return;
    run(async () => {
      await play(view, move);
      moveInput.value = "";
    });
  });
  element("undo").addEventListener("click", () => change("undo"));
  element("resign").addEventListener("click", () => change("resign"));
  element("hint").addEventListener("click", () => run(hint));
  element("save").addEventListener("click", () => run(save));
  wireReview();
  element("new-button").addEventListener("click", () => newDialog.showModal());
  element("new-cancel").addEventListener("click", () => newDialog.close());
  element("new-form").addEventListener("submit", () => run(begin));
  gameChoice.addEventListener("change", fillSeats);
  element("rules-button").addEventListener("click", () => {
    const offer = offers.find((one) => one.game === game?.game) ?? offers[gameChoice.selectedIndex];
    element("rules-text").replaceChildren(...paragraphs(offer?.rules ?? ""));
    rulesDialog.showModal();
  });
  const file = element<HTMLInputElement>("load-file");
  element("load").addEventListener("click", () => file.click());
  file.addEventListener("change", () => run(async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    newDialog.close();
    const view = await transport.ask<View>("games", { record: await chosen.text() });
    show(view);
    open(view.id);
  }));
  window.addEventListener("hashchange", () => open(location.hash.slice(1)));
}

// start shows the page, whose games are behind a transport.
export function start(to: Transport): void {
  transport = to;
  run(async () => {
    wire();
    say("Loading …");
    offers = await transport.ask<Offer[]>("offer");
    say("");
    gameChoice.replaceChildren(...offers.map((offer) => new Option(offer.title, offer.game)));
    fillSeats();
    const id = location.hash.slice(1);
    if (id === "") {
      newDialog.showModal();
      return;
    }
    show(await transport.ask<View>(`games/${id}`));
    open(id);
  });
}
