// The board: its cells, which of them can be pressed, the keyboard, and arrows for moves.

import { element } from "./dom";
import type { Line, View } from "./view";

const board = element("board");
const svgNamespace = "http://www.w3.org/2000/svg";

// shapes returns the shapes of all cells; a cell may have several.
function shapes(): SVGGraphicsElement[] { return [...board.querySelectorAll<SVGGraphicsElement>("[data-cell]")]; }

function nameOf(shape: Element): string { return shape.getAttribute("data-cell") ?? ""; }

function names(): Set<string> { return new Set(shapes().map(nameOf)); }

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

// An action and the cells to click for it.
export interface Path { action: string; path: string[] }

// reachable returns the legal actions that begin with the cells clicked.
export function reachable(view: View, clicked: string[]): Path[] {
  const cells = names();
  return view.legal
    .map((action) => ({ action, path: cellsOf(action, cells) }))
    .filter(({ path }) => clicked.every((cell, i) => path[i] === cell));
}

// draw shows a picture of the board, and the same as text.
export function draw(picture: string, text: string): void {
  board.innerHTML = picture;
  element("text").textContent = text;
  if (turned) turn();
}

let turned = false; // whether the board is seen from the other side

// flip turns the board by half a turn from now on, or back.
export function flip(): void { turned = !turned; }

// canFlip reports whether the board may be turned.
export function canFlip(): boolean {
  const svg = board.querySelector("svg");
  return svg !== null && !svg.hasAttribute("data-upright");
}

// turn turns the picture of the board, but no text.
function turn(): void {
  const svg = board.querySelector("svg");
  if (!svg || !canFlip()) return;
  const { x, y, width, height } = svg.viewBox.baseVal, all = document.createElementNS(svgNamespace, "g");
  all.setAttribute("class", "turned");
  all.setAttribute("transform", `rotate(180 ${x + width / 2} ${y + height / 2})`);
  all.append(...svg.children);
  svg.append(all);
}

// layer returns the element to which parts of the picture are added.
function layer(): SVGGraphicsElement | null { return board.querySelector<SVGGraphicsElement>("svg > .turned") ?? board.querySelector("svg"); }

// mark shows which cells can be clicked next, and which have been.
export function mark(open: Path[], clicked: string[]): void {
  const next = new Set(open.map(({ path }) => path[clicked.length]).filter((cell) => cell !== undefined));
  const named = new Set<string>(); // the first shape of a cell stands for it
  for (const shape of shapes()) {
    const cell = nameOf(shape), can = next.has(cell), chosen = clicked.includes(cell);
    shape.classList.toggle("can", can);
    shape.classList.toggle("chosen", chosen);
    const holds = shape.getAttribute("data-holds"), press = (can || chosen) && !named.has(cell);
    for (const name of ["tabindex", "role", "aria-label"]) shape.removeAttribute(name);
    if (press) {
      named.add(cell);
      shape.setAttribute("tabindex", "-1");
    }
    if (press || holds) {
      shape.setAttribute("role", press ? "button" : "img");
      shape.setAttribute("aria-label", [cell, ...(holds ? [holds] : []), ...(chosen ? ["chosen"] : [])].join(", "));
    }
  }
  // The board is one stop of the Tab key; arrow keys move on it.
  (pressable().find((shape) => shape === document.activeElement) ?? pressable()[0])?.setAttribute("tabindex", "0");
  board.querySelector("svg")?.setAttribute("role", "group");
}

function pressable(): SVGGraphicsElement[] { return [...board.querySelectorAll<SVGGraphicsElement>("[data-cell][tabindex]")]; }

let last = ""; // the cell that had the keyboard's focus last

// focused returns the cell that has the keyboard's focus, or had it before the board was
// drawn without cells to press, and null if the focus is elsewhere.
export function focused(): string | null {
  const active = document.activeElement;
  if (!active || !board.contains(active)) return null;
  if (nameOf(active) !== "") last = nameOf(active);
  return last;
}

// focus moves the keyboard's focus to a cell, or to the first one that can be clicked, or
// else to the board.
export function focus(cell: string): void {
  const all = pressable();
  const shape = all.find((one) => nameOf(one) === cell) ?? all[0];
  for (const one of all) one.setAttribute("tabindex", one === shape ? "0" : "-1");
  (shape ?? board).focus({ preventScroll: true });
}

function middle(shape: Element): DOMPoint {
  const box = shape.getBoundingClientRect();
  return new DOMPoint(box.left + box.width / 2, box.top + box.height / 2);
}

// step moves the focus to the nearest cell in a direction.
function step(from: Element, right: number, down: number): void {
  const start = middle(from);
  let nearest = Infinity, to = "";
  for (const shape of pressable()) {
    const { x, y } = middle(shape);
    const along = (x - start.x) * right + (y - start.y) * down, aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
    if (shape !== from && along > aside / 2 && along + 2 * aside < nearest) [nearest, to] = [along + 2 * aside, nameOf(shape)];
  }
  if (to !== "") focus(to);
}

// A copy of the focused cell's outline lies above all cells, so that no neighbour hides it.
function ring(shape: Element | null): void {
  board.querySelector(".ring")?.remove();
  if (!shape?.matches("[data-cell]:focus-visible")) return;
  const copy = shape.cloneNode() as Element;
  for (const name of ["data-cell", "tabindex", "role", "aria-label", "style"]) copy.removeAttribute(name);
  copy.setAttribute("class", "ring");
  shape.parentNode?.append(copy);
}

// wire calls click for a cell that a person chooses with the pointer or the keyboard.
export function wire(click: (cell: string) => void): void {
  board.addEventListener("click", (event) => {
    const cell = (event.target as Element).closest("[data-cell]");
    if (cell) click(nameOf(cell));
  });
  board.addEventListener("keydown", (event) => {
    const shape = event.target as Element, cell = nameOf(shape);
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (cell === "" || (!by && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (by) step(shape, by[0] ?? 0, by[1] ?? 0);
    else click(cell);
  });
  board.addEventListener("focusin", (event) => ring(event.target as Element));
  board.addEventListener("focusout", () => ring(null));
}

// showLines shows moves on the board, the likelier ones stronger: cells become warm, and
// an arrow leads from the first cell of a move to its last.
export function showLines(lines: Line[]): void {
  const most = Math.max(...lines.map((line) => line.prior), 0);
  const cells = names(), warmth = new Map<string, number>(), arrows: Arrow[] = [];
  for (const line of [...lines].reverse()) {
    const warm = most > 0 ? line.prior / most : 0, path = cellsOf(line.move, cells);
    for (const cell of path) warmth.set(cell, Math.max(warmth.get(cell) ?? 0, warm));
    arrows.push({ from: path[0] ?? "", to: path.at(-1) ?? "", strength: warm });
  }
  drawArrows("hinted", arrows);
  for (const shape of shapes()) {
    const warm = warmth.get(nameOf(shape)) ?? 0;
    shape.classList.toggle("warm", warm > 0);
    shape.style.setProperty("--warm", `${Math.round(20 + 60 * warm)}%`);
  }
}

// showMove draws an arrow for a move that leads from one cell to another, and removes the
// arrow of an earlier move.
export function showMove(move: string): void {
  const [from = "", to = ""] = cellsOf(move, names());
  drawArrows("moved", [{ from, to, strength: 0.1 }]);
}

interface Arrow { from: string; to: string; strength: number }

// drawArrows replaces the arrows of a kind. It leaves out those that do not join two cells.
function drawArrows(kind: string, all: Arrow[]): void {
  board.querySelector(`.${kind}`)?.remove();
  const on = layer(), first = new Map(shapes().reverse().map((shape) => [nameOf(shape), shape]));
  const group = document.createElementNS(svgNamespace, "g");
  group.setAttribute("class", `arrows ${kind}`);
  for (const { from, to, strength } of all) {
    const start = first.get(from), end = first.get(to);
    if (start && end && start !== end) group.append(arrow(centre(start), centre(end), strength));
  }
  if (group.childElementCount > 0) on?.append(group);
}

// centre returns the centre of a cell in the picture: the mean of points on its outline.
function centre(shape: SVGGraphicsElement): DOMPoint {
  const outline = shape as SVGGeometryElement, points = 12, length = outline.getTotalLength();
  let x = 0, y = 0;
  for (let i = 0; i < points; i++) {
    const point = outline.getPointAtLength(length * i / points);
    x += point.x / points;
    y += point.y / points;
  }
  return new DOMPoint(x, y);
}

// arrow returns an arrow between two points of the picture.
function arrow(from: DOMPoint, to: DOMPoint, strength: number): SVGElement {
  const length = Math.hypot(to.x - from.x, to.y - from.y), head = Math.min(length / 2, (board.querySelector("svg")?.viewBox.baseVal.width ?? 100) / 28);
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const point = (along: number, aside: number): string => `${(to.x - x * along - y * aside).toFixed(2)} ${(to.y - y * along + x * aside).toFixed(2)}`;
  const path = document.createElementNS(svgNamespace, "path");
  path.setAttribute("d", `M${from.x.toFixed(2)} ${from.y.toFixed(2)}L${point(head, 0)}M${point(head, head / 2)}L${point(0, 0)}L${point(head, -head / 2)}Z`);
  path.setAttribute("stroke-width", (head / 3).toFixed(2));
  path.setAttribute("opacity", (0.35 + 0.6 * strength).toFixed(2));
  return path;
}
