// The page shows a game that the program behind the transport describes, and sends the user's
// actions. The program has all the rules.

import * as board from "./board";
import { capitalized, element, paragraphs, percent } from "./dom";
import * as end from "./end";
import * as recent from "./recent";
import * as review from "./review";
import * as seats from "./seats";
import * as side from "./side";
import * as sound from "./sound";
import type { Transport } from "./transport";
import { human, told } from "./view";
import type { Line, Offer, View } from "./view";

const status = element("status");
const choices = element("choices");
const moveInput = element<HTMLInputElement>("move");
const newDialog = element<HTMLDialogElement>("new-dialog");
const rulesDialog = element<HTMLDialogElement>("rules-dialog");
const gameChoice = element<HTMLSelectElement>("game-choice");

let offers: Offer[] = [];
let game: View | null = null;
let clicked: string[] = []; // cells, in order
let hinted: Line[] = []; // the best moves, if a hint was requested
let judging: boolean | null = null; // whether to show win chances and losses during the game; null for the default
let sending: View | null = null; // the position shown, while a move from it is being sent
let transport: Transport;
let polling = 0; // timer of the next poll
let lost = false; // whether the last poll had no answer
let described = ""; // the description of the position that the status line showed last; "" to show it again

function say(text: string, bad = false): void {
  if (status.textContent !== text) status.textContent = text; // otherwise screen readers would repeat it
  status.classList.toggle("bad", bad);
}

// run runs an action and shows its error.
function run(action: () => Promise<void>): void {
  action().catch((fault: unknown) => say(fault instanceof Error ? fault.message : String(fault), true));
}

// markBoard marks the cells that can be clicked, and shows the other choices.
function markBoard(view: View): void {
  const open = board.reachable(view, clicked);
  board.mark(open, clicked);
  showChoices(view, open);
}

// showChoices shows buttons for actions without a cell, and for actions that the cells clicked
// so far do not distinguish.
function showChoices(view: View, open: board.Path[]): void {
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
  clicked.push(cell);
  let open = board.reachable(view, clicked);
  if (open.length === 0) { // start over with this cell
    clicked = clicked.at(-2) === cell ? [] : [cell];
    open = board.reachable(view, clicked);
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
  } catch (fault) {
    if (game === view && review.turn() === null) markBoard(view);
    throw fault;
  } finally {
    if (sending === view) sending = null; // the next move may already have been made
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
  if (!view.person) return `${note}${capitalized(seat.name)} is thinking …`;
  if (view.mid_turn) return `${note}Now choose ${view.prompt || "what comes next"}`;
  return `${note}${capitalized(seat.name)} to move`;
}

// judged reports whether to show win chances, losses and the review. Against a level they would
// be help, so by default they are hidden until the end. The player of a saved game may be a level
// that is no longer offered.
function judged(view: View): boolean {
  const level = view.seats.some(({ player }) => playerText(view, player).includes("level ") || player.includes("temperature="));
  return view.result !== "" || (judging ?? !level);
}

// playerText returns the name of a player on the page. Levels of different games may have the same
// settings.
function playerText(view: View, player: string): string {
  if (player === human) return "You";
  const offer = offers.find((one) => one.game === view.game);
  return offer?.players.find((one) => one.name === player)?.text ?? player;
}

function show(view: View): void {
  if (game?.id === view.id && view.version < game.version) return; // a newer answer has arrived already
  if (game?.id !== view.id) {
    review.end();
    described = "";
  }
  if (game?.id !== view.id || view.ply !== game.ply) { // another position
    clicked = [];
    sending = null; // the poll may come before the answer to the move that led to it
    forgetHint();
  }
  if (game?.id === view.id && view.result !== game.result) sound.play(440);
  else if (game?.id === view.id && view.ply > game.ply) sound.play(660);
  game = view;
  if (view.thinking) pollLater(view.id);
  recent.note(view, playerText);
  end.show(view, playerText);
  element("title").textContent = view.title;
  document.title = `${view.title} · Tiro`;
  element("legal").replaceChildren(...view.legal.map((name) => new Option(name, name)));
  element<HTMLButtonElement>("save").disabled = false;
  element("save-sgf").hidden = !view.sgf;
  element<HTMLButtonElement>("resign").disabled = !view.person || view.seats.length !== 2;
  const judge = judged(view);
  element<HTMLInputElement>("judge").checked = judge;
  element<HTMLInputElement>("judge").disabled = view.result !== "";
  element("graph-figure").hidden = !judge;
  element<HTMLButtonElement>("review").disabled = view.turns.length === 0 || !judge;
  moveInput.disabled = !view.person;
  if (!view.person) forgetHint();
  const ply = review.ply(view);
  element<HTMLButtonElement>("undo").disabled = view.ply === 0 || ply !== null;
  element<HTMLButtonElement>("hint").disabled = !view.person || ply !== null;
  side.showSeats(view, judge ? ply ?? view.ply : null, playerText);
  side.showGraph(view, ply);
  side.showTurns(view, review.turn(), judge, { goto: (turn) => look(turn + 1), change: (line) => change("line", { line }) });
  if (ply === null) {
    showBoard(view);
  } else {
    described = "";
    run(() => review.show(view, judge, transport, say));
  }
}

// showBoard shows the current board.
function showBoard(view: View): void {
  const focused = board.focused(), text = describe(view);
  if (text !== described) say(text, view.trouble !== ""); // otherwise an error would vanish with the next evaluation
  described = text;
  board.draw(view.board, view.text);
  markBoard(view);
  board.showMove(view.turns.at(-1)?.text ?? "");
  board.showLines(hinted);
  element<HTMLButtonElement>("flip").disabled = !board.canFlip();
  if (focused !== null) board.focus(focused);
}

// look reviews the game after a number of turns.
function look(turns: number): void {
  if (!game) return;
  clicked = [];
  choices.replaceChildren();
  review.begin(game, turns);
  show(game);
}

// change requests a change of the game, and shows the result.
function change(what: string, more: object = {}): void {
  run(async () => {
    if (!game) return;
    const view = await transport.ask<View>(`games/${game.id}/${what}`, { ply: game.ply, ...more });
    review.end();
    show(view);
    if (what === "back") board.focus(""); // the button is now hidden
  });
}

// Intervals of polls, while a player is thinking and otherwise, in milliseconds.
const soon = 250, later = 1000;

// poll requests the version of a game, shows the game if it has changed, and polls again later.
// Event streams would avoid polling, but browsers allow at most six for all tabs.
async function poll(id: string): Promise<void> {
  clearTimeout(polling);
  if (location.hash !== `#${id}`) return;
  try {
    const version = document.hidden && game?.id === id ? game.version : await transport.ask<number>(`games/${id}/version`);
    if (game?.id !== id || version !== game.version || lost) {
      if (game?.id === id && version < game.version) game = { ...game, version }; // the server was restarted
      const view = await transport.ask<View>(`games/${id}`);
      if (location.hash === `#${id}`) show(view);
      lost = false;
    }
  } catch (fault) {
    lost = true;
    described = "";
    say(fault instanceof TypeError ? "The server does not answer. Retrying …" : String((fault as Error).message), true);
  }
  if (location.hash === `#${id}`) pollLater(id); // otherwise the timer belongs to another game
}

function pollLater(id: string): void {
  clearTimeout(polling);
  polling = setTimeout(() => void poll(id), game?.thinking ? soon : later);
}

function open(id: string): void {
  newDialog.close();
  if (location.hash !== `#${id}`) history.replaceState(null, "", `#${id}`);
  void poll(id);
}

function fillSeats(): void {
  const offer = offers[gameChoice.selectedIndex];
  if (offer) seats.fill(offer);
}

// begin begins a game, or loads one.
async function begin(what: object): Promise<void> {
  const view = await transport.ask<View>("games", what);
  moveInput.value = "";
  show(view);
  open(view.id);
  board.focus("");
}

async function hint(): Promise<void> {
  if (!game) return;
  const view = game;
  say("Looking for the best moves …");
  const lines = await transport.ask<Line[]>(`games/${view.id}/hint`, { ply: view.ply });
  if (game.id !== view.id || game.ply !== view.ply || review.turn() !== null) return;
  say(describe(view));
  hinted = lines;
  board.showLines(hinted);
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

// forgetHint removes the best moves of the previous position.
function forgetHint(): void {
  hinted = [];
  element("hints").replaceChildren();
}

// save downloads the game as a file.
async function save(format: "record" | "sgf", ending: string): Promise<void> {
  if (!game) return;
  const file = `${game.game.replace(/[^a-z0-9]+/g, "-")}-${new Date().toISOString().slice(0, 10)}.${ending}`;
  const answer = await transport.ask<Record<string, string>>(`games/${game.id}/${format}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([answer[format] ?? ""], { type: "text/plain" }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// flip turns the board.
function flip(): void {
  if (!game) return;
  board.flip();
  review.redraw();
  show(game);
}

// elsewhere reports whether a key belongs to a field or a dialog, not to the game.
function elsewhere(event: KeyboardEvent): boolean {
  return (event.target as Element).matches("input:not([type=checkbox]), select") || document.querySelector("dialog[open]") !== null;
}

// wireReview connects the controls of the review.
function wireReview(): void {
  const on = (id: string, act: (view: View) => void): void => element(id).addEventListener("click", () => {
    if (!game) return;
    act(game);
    show(game);
  });
  for (const id of ["review", "end-review"]) {
    element(id).addEventListener("click", () => {
      look(game?.turns.length ?? 0);
      element("review-back").focus({ preventScroll: true });
    });
  }
  on("review-first", (view) => review.begin(view, 0));
  on("review-back", (view) => review.step(view, -1));
  on("review-next", (view) => review.step(view, 1));
  on("review-last", (view) => review.begin(view, view.turns.length));
  on("review-mistake", (view) => review.nextMistake(view));
  on("review-end", () => review.end());
  element("review-end").addEventListener("click", () => element("review").focus({ preventScroll: true })); // once it is visible
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
    if (!game || by === undefined || review.turn() === null || elsewhere(event)) return;
    event.preventDefault();
    review.step(game, by);
    show(game);
  });
}

// keys maps keys to the buttons that they press.
const keys: Record<string, string> = { u: "undo", h: "hint", r: "review", f: "flip", n: "new-button", "?": "rules-button" };

function wireKeys(): void {
  document.addEventListener("keydown", (event) => {
    const id = keys[event.key.toLowerCase()];
    if (!id || event.ctrlKey || event.altKey || event.metaKey || elsewhere(event)) return;
    event.preventDefault();
    element(id).click(); // has no effect while the button is disabled
  });
}

function showDialog(): void {
  recent.show();
  newDialog.showModal();
}

function wire(): void {
  board.wire(click);
  element("move-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const view = game, move = moveInput.value.trim();
    if (!view || move === "") return;
    run(async () => {
      await play(view, move);
      if (moveInput.value.trim() === move) moveInput.value = ""; // otherwise the next move has been entered meanwhile
    });
  });
  element("judge").addEventListener("change", () => {
    judging = element<HTMLInputElement>("judge").checked;
    if (!judging) review.end();
    if (game) show(game);
  });
  element("undo").addEventListener("click", () => change("undo"));
  const resignDialog = element<HTMLDialogElement>("resign-dialog");
  element("resign").addEventListener("click", () => resignDialog.showModal());
  element("resign-form").addEventListener("submit", (event) => {
    if ((event.submitter as HTMLButtonElement | null)?.value === "resign") change("resign");
  });
  element("hint").addEventListener("click", () => run(hint));
  element("save").addEventListener("click", () => run(() => save("record", "pgn")));
  element("save-sgf").addEventListener("click", () => run(() => save("sgf", "sgf")));
  element("flip").addEventListener("click", flip);
  element("end-again").addEventListener("click", () => {
    const again = game; // every player moves to the next seat
    if (again) run(() => begin({ game: again.game, seats: again.seats.map((_, i) => again.seats.at(i - 1)?.player ?? "") }));
  });
  sound.wire();
  wireReview();
  wireKeys();
  element("new-button").addEventListener("click", showDialog);
  element("new-cancel").addEventListener("click", () => newDialog.close());
  element("recent-games").addEventListener("click", (event) => {
    if ((event.target as Element).matches("a")) newDialog.close(); // the game may be on the page already
  });
  newDialog.addEventListener("close", () => {
    if (!game) say("No game yet. Press New game to start one.");
  });
  element("new-form").addEventListener("submit", () => run(() => begin({ game: offers[gameChoice.selectedIndex]?.game ?? "", seats: seats.chosen() })));
  gameChoice.addEventListener("change", fillSeats);
  element("rules-button").addEventListener("click", () => {
    const offer = offers.find((one) => one.game === game?.game) ?? offers[gameChoice.selectedIndex];
    element("rules-text").replaceChildren(...paragraphs(offer?.rules || "This game has no text of its rules."));
    rulesDialog.showModal();
  });
  const file = element<HTMLInputElement>("load-file");
  element("load").addEventListener("click", () => file.click());
  file.addEventListener("change", () => run(async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    newDialog.close();
    file.value = ""; // otherwise choosing the same file again is no change
    const record = await chosen.text();
    if (record === "") throw new Error(`${chosen.name} is empty.`);
    await begin({ record });
  }));
  window.addEventListener("hashchange", () => open(location.hash.slice(1)));
  document.addEventListener("visibilitychange", () => void poll(location.hash.slice(1)));
}

// start shows the page with the games behind a transport.
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
      showDialog();
      return;
    }
    open(id);
  });
}
