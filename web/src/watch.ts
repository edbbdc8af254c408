// The page that watches training runs.

import { element, make } from "./dom";
import { request } from "./http";
import * as pointer from "./pointer";
import * as replay from "./replay";

interface Listed { id: string; name: string }
interface Played { generation: number; number: number; title: string }
interface Status extends Listed {
  game: string; phase: string; generation: number; target: number; playing: number; games: number;
  written: number; next: number; ends: number; last: string; fault: string;
  rating: { generation: number; elo: number; error: number } | null;
  words: string[]; findings: { name: string; text: string }[]; charts: number; latest: Played[];
}
interface Charts { version: number; figures: { title: string; svg: string; legend: string; note: string }[] }

const runChoice = element<HTMLSelectElement>("run");
const gameChoice = element<HTMLSelectElement>("game");
const followButton = element<HTMLButtonElement>("follow");

// Intervals of requests for the list of runs and the state of the run, in milliseconds.
const listEvery = 5000;
const askEvery = 1000;

let runs: Listed[] = [];
let known = ""; // the last answer with the list of runs
let status: Status | null = null;
let watched = ""; // id of the run
let silent = false; // whether the last request for the run had no answer
let drawn = -1; // version of the charts that are shown
let shown = ""; // key of the game that is shown
let following = !matchMedia("(prefers-reduced-motion: reduce)").matches;
let announced = -1; // the generation that was announced last

// ahead is the server's clock minus the browser's clock. All times refer to the server's clock.
let ahead = 0;

function now(): number { return Date.now() + ahead; }

async function ask<T>(path: string): Promise<T> {
  const { data, headers } = await request<T>(path);
  const at = Number(headers.get("Tiro-Now"));
  if (at > 0) ahead = at - Date.now();
  return data;
}

// tell shows an error, or none if text is "".
function tell(text: string): void {
  const box = element("fault");
  if (box.textContent !== text) box.textContent = text;
}

function failed(fault: unknown): void {
  if (fault instanceof TypeError) drawn = -1; // the charts may be missing or come from an earlier server
  tell(fault instanceof TypeError ? "The server does not answer. Retrying …" : (fault as Error).message);
}

function run(action: () => Promise<void>): void { action().catch(failed); }

// length formats a duration in milliseconds.
function length(time: number): string {
  const seconds = Math.max(0, Math.round(time / 1000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// describe returns the current activity of the run.
function describe(s: Status): string {
  const next = s.generation + 1;
  switch (s.phase) {
    case "waiting": return "There is no run here yet. It will appear when it starts.";
    case "broken": return "The run folder cannot be read.";
    case "stopped": return `Stopped after generation ${s.generation}: ${s.last}.`;
    case "quiet": return `No activity for ${length(now() - s.written)}; the training has probably ended, after generation ${s.generation}.`;
  }
  const left = s.next > now() ? `; complete in about ${length(s.next - now())}` : "";
  if (s.phase === "learning") return `Generation ${next}: learning from its ${s.games} games${left}.`;
  return `Generation ${next}: ${s.playing} of ${s.games} games played${left}.`;
}

function fact(list: HTMLElement, name: string, value: string): void {
  const pair = make("div");
  pair.append(make("dt", name), make("dd", value));
  list.append(pair);
}

// showTimes shows the facts that change with time.
function showTimes(): void {
  if (!status) return;
  const s = status, facts = element("facts");
  element("state").textContent = describe(s);
  facts.replaceChildren();
  if (s.game === "") return; // the run is unknown
  fact(facts, "Game", s.game);
  fact(facts, "Generation", s.target > 0 ? `${s.generation} of ${s.target}` : String(s.generation));
  if (s.rating) fact(facts, `Rating of generation ${s.rating.generation}`, `${s.rating.elo < 0 ? "−" : "+"}${Math.abs(s.rating.elo)} ± ${s.rating.error} Elo`);
  if (s.ends > 0) fact(facts, "Time left", length(s.ends - now()));
  if (s.written > 0) fact(facts, "Last activity", `${length(now() - s.written)} ago`);
}

function showWords(s: Status): void {
  const lines = s.words.map((text) => make("p", text));
  for (const finding of s.findings) {
    const line = make("p");
    line.append(make("strong", finding.name, "bad"), `: ${finding.text}`);
    lines.push(line);
  }
  if (s.generation >= 3 && s.findings.length === 0) lines.push(make("p", "No problems found."));
  if (lines.length === 0) lines.push(make("p", "No data until the first generation is complete.", "soft"));
  element("words").replaceChildren(...lines);
}

const smoothing = element<HTMLInputElement>("smoothing");
const mostOthers = 4; // that the server draws together with a run

// others returns the runs that are drawn together with the watched one.
function others(): string[] {
  return [...element("others").querySelectorAll<HTMLInputElement>("input:checked")].map((box) => box.value);
}

// showOthers lists the runs that can be drawn together with the watched one.
function showOthers(): void {
  const before = others(), all = runs.filter((one) => one.id !== watched);
  element("others").hidden = all.length === 0;
  element("others").replaceChildren(make("legend", "Show these runs too"), ...all.map((one) => {
    const label = make("label"), box = make("input");
    box.type = "checkbox";
    box.value = one.id;
    box.checked = before.includes(one.id);
    box.addEventListener("change", () => {
      if (others().length > mostOthers) box.checked = false;
      redraw();
    });
    label.append(box, one.name);
    return label;
  }));
}

// redraw requests the charts again.
function redraw(): void {
  const s = status;
  if (s) run(() => showCharts(s.id, s.charts));
}

async function showCharts(id: string, version: number): Promise<void> {
  drawn = version;
  const query = new URLSearchParams(others().map((other) => ["with", other]));
  if (smoothing.value !== "0") query.set("smooth", smoothing.value);
  const charts = await ask<Charts>(`api/runs/${id}/charts?${query}`);
  if (status?.id !== id) return;
  element("charts").replaceChildren(...charts.figures.map((figure) => {
    const section = make("section"), legend = make("div");
    section.append(make("h2", figure.title));
    section.insertAdjacentHTML("beforeend", figure.svg);
    legend.innerHTML = figure.legend;
    section.append(legend);
    if (figure.note !== "") section.append(make("p", figure.note, "soft"));
    return section;
  }));
}

function keyOf(game: Played): string { return `${game.generation}/${game.number}`; }

// showGames lists the latest games, and keeps the one that is shown among them.
function showGames(s: Status): void {
  const keys = s.latest.map(keyOf);
  const options = s.latest.map((game) => new Option(`Generation ${game.generation}, game ${game.number}: ${game.title}`, keyOf(game)));
  const kept = gameChoice.selectedOptions[0];
  if (shown !== "" && !keys.includes(shown) && kept) options.push(new Option(kept.text, shown));
  const same = options.length === gameChoice.options.length && options.every((option, i) => option.value === gameChoice.options[i]?.value);
  if (!same) {
    gameChoice.replaceChildren(...options);
    if (shown !== "") gameChoice.value = shown;
  }
  element("games-side").hidden = options.length === 0;
  const newest = keys[0];
  if (shown === "" && newest !== undefined) openGame(newest);
}

function openGame(key: string): void {
  shown = key;
  gameChoice.value = key;
  const id = status?.id;
  run(async () => {
    const game = await ask<replay.Replay>(`api/runs/${id}/games/${key}`).catch((fault: unknown) => {
      if (shown === key) shown = ""; // it may be gone; the next state opens the newest game
      throw fault;
    });
    if (status?.id !== id || shown !== key) return;
    replay.open(game);
    if (following) replay.play(playNext);
  });
}

// playNext continues with the newest game at the end of the current one.
function playNext(): void {
  const newest = status?.latest[0];
  if (!newest) return;
  if (keyOf(newest) === shown) replay.play(playNext); // until there is another one
  else openGame(keyOf(newest));
}

function follow(on: boolean): void {
  following = on;
  followButton.setAttribute("aria-pressed", String(on));
  if (on) playNext();
  else replay.stop();
}

function show(s: Status): void {
  status = s;
  tell(s.fault);
  showTimes();
  showWords(s);
  showGames(s);
  const progress = element<HTMLProgressElement>("progress");
  progress.hidden = s.phase !== "self-play" && s.phase !== "learning";
  progress.max = Math.max(1, s.games);
  progress.value = s.playing;
  document.title = `${s.name}, generation ${s.generation} · Tiro`;
  if (announced >= 0 && s.generation > announced) element("news").textContent = `Generation ${s.generation} is complete.`;
  announced = s.generation;
  if (s.charts !== drawn) run(() => showCharts(s.id, s.charts));
}

// poll requests the state of the run, and shows it if it or the charts have changed.
async function poll(): Promise<void> {
  const id = watched;
  if (id === "") return;
  try {
    const newest = await ask<Status>(`api/runs/${id}`);
    if (id === watched && (silent || newest.charts !== drawn || JSON.stringify(newest) !== JSON.stringify(status))) show(newest);
    silent = false;
  } catch (fault) {
    silent = true;
    failed(fault);
  }
}

// watch shows another run.
function watch(id: string): void {
  watched = id;
  replay.stop();
  status = null;
  drawn = announced = -1;
  shown = "";
  element("charts").replaceChildren();
  showOthers();
  gameChoice.replaceChildren();
  history.replaceState(null, "", `#${id}`);
  void poll();
}

// list requests the list of runs.
async function list(): Promise<void> {
  const listed = await ask<Listed[]>("api/runs");
  if (JSON.stringify(listed) === known) return;
  known = JSON.stringify(listed);
  runs = listed;
  runChoice.replaceChildren(...runs.map((one) => new Option(one.name, one.id)));
  const wanted = status?.id ?? location.hash.slice(1);
  const chosen = runs.find((one) => one.id === wanted) ?? runs[0];
  if (!chosen) {
    element("state").textContent = "No runs to watch. Start the server with tiro serve --run FOLDER.";
    return;
  }
  runChoice.value = chosen.id;
  if (status?.id !== chosen.id) watch(chosen.id);
  else showOthers();
}

runChoice.addEventListener("change", () => watch(runChoice.value));
gameChoice.addEventListener("change", () => {
  follow(false);
  openGame(gameChoice.value);
});
followButton.addEventListener("click", () => follow(!following));
smoothing.addEventListener("change", redraw);
pointer.wire(element("charts"), element("pointed"));
replay.wire(() => follow(false));
followButton.setAttribute("aria-pressed", String(following));
run(list);
setInterval(() => run(list), listEvery);
setInterval(showTimes, 1000);
setInterval(() => void poll(), askEvery);
