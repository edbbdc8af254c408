// ../src/dom.ts
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}
function make(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}
function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
function percent(share) {
  return `${Math.round(100 * share)}%`;
}
function paragraphs(text) {
  return text.split(/\n{2,}/).map((part) => {
    if (/^ |\S {3,}/m.test(part)) return make("pre", part);
    const prose = make("p");
    prose.append(...part.split("`").map((piece, i) => i % 2 === 1 ? make("code", piece) : piece));
    return prose;
  });
}

// ../src/board.ts
var board = element("board");
var svgNamespace = "http://www.w3.org/2000/svg";
function shapes() {
  return [...board.querySelectorAll("[data-cell]")];
}
function nameOf(shape) {
  return shape.getAttribute("data-cell") ?? "";
}
function names() {
  return new Set(shapes().map(nameOf));
}
function cellsOf(action, cells) {
  const found = [];
  for (let i = 0; i < action.length; ) {
    let length = Math.min(8, action.length - i);
    while (length > 0 && !cells.has(action.slice(i, i + length))) length--;
    if (length > 0) found.push(action.slice(i, i + length));
    i += Math.max(1, length);
  }
  return found;
}
function reachable(view, clicked2) {
  const cells = names();
  return view.legal.map((action) => ({ action, path: cellsOf(action, cells) })).filter(({ path }) => clicked2.every((cell, i) => path[i] === cell));
}
function draw(picture, text) {
  board.innerHTML = picture;
  element("text").textContent = text;
  if (turned) turn();
}
var turned = false;
function flip() {
  turned = !turned;
}
function canFlip() {
  const svg = board.querySelector("svg");
  return svg !== null && !svg.hasAttribute("data-upright");
}
function turn() {
  const svg = board.querySelector("svg");
  if (!svg || !canFlip()) return;
  const { x, y, width: width2, height: height2 } = svg.viewBox.baseVal, all3 = document.createElementNS(svgNamespace, "g");
  all3.setAttribute("class", "turned");
  all3.setAttribute("transform", `rotate(180 ${x + width2 / 2} ${y + height2 / 2})`);
  all3.append(...svg.children);
  svg.append(all3);
}
function layer() {
  return board.querySelector("svg > .turned") ?? board.querySelector("svg");
}
function mark(open2, clicked2) {
  const next = new Set(open2.map(({ path }) => path[clicked2.length]).filter((cell) => cell !== void 0));
  const named = /* @__PURE__ */ new Set();
  for (const shape of shapes()) {
    const cell = nameOf(shape), can = next.has(cell), chosen2 = clicked2.includes(cell);
    shape.classList.toggle("can", can);
    shape.classList.toggle("chosen", chosen2);
    const holds = shape.getAttribute("data-holds"), press = (can || chosen2) && !named.has(cell);
    for (const name of ["tabindex", "role", "aria-label"]) shape.removeAttribute(name);
    if (press) {
      named.add(cell);
      shape.setAttribute("tabindex", "-1");
    }
    if (press || holds) {
      shape.setAttribute("role", press ? "button" : "img");
      shape.setAttribute("aria-label", [cell, ...holds ? [holds] : [], ...chosen2 ? ["chosen"] : []].join(", "));
    }
  }
  (pressable().find((shape) => shape === document.activeElement) ?? pressable()[0])?.setAttribute("tabindex", "0");
  board.querySelector("svg")?.setAttribute("role", "group");
}
function pressable() {
  return [...board.querySelectorAll("[data-cell][tabindex]")];
}
var last = "";
function focused() {
  const active = document.activeElement;
  if (!active || !board.contains(active)) return null;
  if (nameOf(active) !== "") last = nameOf(active);
  return last;
}
function focus(cell) {
  const all3 = pressable();
  const shape = all3.find((one) => nameOf(one) === cell) ?? all3[0];
  for (const one of all3) one.setAttribute("tabindex", one === shape ? "0" : "-1");
  (shape ?? board).focus({ preventScroll: true });
}
function middle(shape) {
  const box = shape.getBoundingClientRect();
  return new DOMPoint(box.left + box.width / 2, box.top + box.height / 2);
}
function step(from, right, down) {
  const start2 = middle(from);
  let nearest = Infinity, to = "";
  for (const shape of pressable()) {
    const { x, y } = middle(shape);
    const along = (x - start2.x) * right + (y - start2.y) * down, aside = Math.abs((x - start2.x) * down) + Math.abs((y - start2.y) * right);
    if (shape !== from && along > aside / 2 && along + 2 * aside < nearest) [nearest, to] = [along + 2 * aside, nameOf(shape)];
  }
  if (to !== "") focus(to);
}
function ring(shape) {
  board.querySelector(".ring")?.remove();
  if (!shape?.matches("[data-cell]:focus-visible")) return;
  const copy = shape.cloneNode();
  for (const name of ["data-cell", "tabindex", "role", "aria-label", "style"]) copy.removeAttribute(name);
  copy.setAttribute("class", "ring");
  shape.parentNode?.append(copy);
}
function wire(click2) {
  board.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (cell) click2(nameOf(cell));
  });
  board.addEventListener("keydown", (event) => {
    const shape = event.target, cell = nameOf(shape);
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (cell === "" || !by && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (by) step(shape, by[0] ?? 0, by[1] ?? 0);
    else click2(cell);
  });
  board.addEventListener("focusin", (event) => ring(event.target));
  board.addEventListener("focusout", () => ring(null));
}
function showLines(lines) {
  const most3 = Math.max(...lines.map((line) => line.prior), 0);
  const cells = names(), warmth = /* @__PURE__ */ new Map(), arrows = [];
  for (const line of [...lines].reverse()) {
    const warm = most3 > 0 ? line.prior / most3 : 0, path = cellsOf(line.move, cells);
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
function showMove(move) {
  const [from = "", to = ""] = cellsOf(move, names());
  drawArrows("moved", [{ from, to, strength: 0.1 }]);
}
function drawArrows(kind, all3) {
  board.querySelector(`.${kind}`)?.remove();
  const on = layer(), first = new Map(shapes().reverse().map((shape) => [nameOf(shape), shape]));
  const group = document.createElementNS(svgNamespace, "g");
  group.setAttribute("class", `arrows ${kind}`);
  for (const { from, to, strength } of all3) {
    const start2 = first.get(from), end2 = first.get(to);
    if (start2 && end2 && start2 !== end2) group.append(arrow(centre(start2), centre(end2), strength));
  }
  if (group.childElementCount > 0) on?.append(group);
}
function centre(shape) {
  const outline = shape, points2 = 12, length = outline.getTotalLength();
  let x = 0, y = 0;
  for (let i = 0; i < points2; i++) {
    const point = outline.getPointAtLength(length * i / points2);
    x += point.x / points2;
    y += point.y / points2;
  }
  return new DOMPoint(x, y);
}
function arrow(from, to, strength) {
  const length = Math.hypot(to.x - from.x, to.y - from.y), head = Math.min(length / 2, (board.querySelector("svg")?.viewBox.baseVal.width ?? 100) / 28);
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const point = (along, aside) => `${(to.x - x * along - y * aside).toFixed(2)} ${(to.y - y * along + x * aside).toFixed(2)}`;
  const path = document.createElementNS(svgNamespace, "path");
  path.setAttribute("d", `M${from.x.toFixed(2)} ${from.y.toFixed(2)}L${point(head, 0)}M${point(head, head / 2)}L${point(0, 0)}L${point(head, -head / 2)}Z`);
  path.setAttribute("stroke-width", (head / 3).toFixed(2));
  path.setAttribute("opacity", (0.35 + 0.6 * strength).toFixed(2));
  return path;
}

// ../src/view.ts
var human = "human";
function nameOf2(view, seat) {
  return view.seats[seat]?.name ?? "";
}
function told(view, turn3) {
  return `${nameOf2(view, turn3.seat)}: ${turn3.text}${turn3.did === "" ? "" : ` (${turn3.did})`}`;
}
function before(view, turn3) {
  return turn3 > 0 ? view.turns[turn3 - 1]?.ply ?? 0 : 0;
}
function lossOf(view, number) {
  let sum = 0;
  for (const loss of view.losses.slice(before(view, number), view.turns[number]?.ply ?? 0)) {
    if (loss === null) return null;
    sum += loss;
  }
  return sum;
}
var judgements = [[0.195, "blunder"], [0.095, "mistake"], [0.045, "inaccuracy"]];
var notable = 0.045;
function judge(loss) {
  return judgements.find(([least]) => loss !== null && loss >= least)?.[1] ?? "";
}
function points(loss) {
  return `−${Math.round(100 * loss)}%`.replace("−0%", "0%");
}

// ../src/end.ts
var ordinals = ["first", "second", "third", "fourth"];
function reason(ending) {
  return ending.replace("k-in-row", "a complete row").replace("in-row", "in-a-row").replaceAll("-", " ");
}
function headline(view, places) {
  const winners = view.seats.filter((_, seat) => places[seat] === 1).map((seat) => seat.name);
  const mine = view.seats.flatMap((seat, i) => seat.player === human ? [places[i] ?? 0] : []);
  if (winners.length === view.seats.length) return "A draw";
  if (mine.length !== 1) return capitalized(`${new Intl.ListFormat("en-GB").format(winners)} ${winners.length === 1 ? "wins" : "share the win"}`);
  if (mine[0] === 1) return winners.length === 1 ? "You win" : "You share the win";
  return view.seats.length === 2 ? "You lose" : `You are ${ordinals[(mine[0] ?? 1) - 1]}`;
}
function show(view, playerText2) {
  const over = view.result !== "", places = view.places, moves = view.turns.length;
  element("end").hidden = !over;
  element("board-side").classList.toggle("over", over);
  if (!over) return;
  element("end-title").textContent = places ? headline(view, places) : "The game is over";
  element("end-reason").textContent = `${view.result.replace(/ \([^()]*\)$/, "")}${view.ending === "" ? "" : `: ${reason(view.ending)}`}, after ${moves} ${moves === 1 ? "move" : "moves"}.`;
  const ranked = places && view.seats.length > 2 ? view.seats.map((seat, i) => ({ seat, place: places[i] ?? 0 })) : [];
  ranked.sort((a, b) => a.place - b.place);
  element("end-places").replaceChildren(...ranked.map(({ seat, place }) => {
    const row = make("li", `${seat.name} (${playerText2(view, seat.player)})`);
    row.value = place;
    return row;
  }));
}

// ../src/recent.ts
var key = `tiro recent ${new URL(".", location.href).pathname}`;
var most = 20;
function all() {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.id === "string" && typeof one.at === "number") : [];
  } catch {
    return [];
  }
}
function note(view, playerText2) {
  const players = view.seats.map((seat) => playerText2(view, seat.player)).join(" – ");
  const state = view.result === "" ? `move ${view.turns.length}` : view.result;
  const before2 = all(), old = before2.find((one) => one.id === view.id);
  const at2 = old?.state === state ? old.at : Date.now();
  const games = [{ id: view.id, title: view.title, players, state, at: at2 }, ...before2.filter((one) => one.id !== view.id)];
  try {
    localStorage.setItem(key, JSON.stringify(games.slice(0, most)));
  } catch {
  }
}
function show2() {
  const games = all();
  element("recent").hidden = games.length === 0;
  element("recent-games").replaceChildren(...games.map(({ id, title, players, state, at: at2 }) => {
    const row = make("li"), link = make("a", title);
    link.href = `#${id}`;
    const when = make("time", new Date(at2).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }));
    when.dateTime = new Date(at2).toISOString();
    row.append(link, ` ${players}; ${state} `, when);
    return row;
  }));
}

// ../src/review.ts
var at = -1;
var shown = "";
function turn2() {
  return at < 0 ? null : at - 1;
}
function ply(view) {
  return at < 0 ? null : before(view, at);
}
function begin(view, turns) {
  at = Math.max(0, Math.min(view.turns.length, turns));
  shown = "";
  element("board-side").classList.add("reviewing");
}
function end() {
  at = -1;
  element("board-side").classList.remove("reviewing");
}
function redraw() {
  shown = "";
}
function step2(view, by) {
  begin(view, at + by);
}
function nextMistake(view) {
  const n = view.turns.length;
  for (let i = 0; i < n; i++) {
    const number = (at + i) % n;
    if ((lossOf(view, number) ?? 0) >= notable) {
      begin(view, number + 1);
      return;
    }
  }
}
function counts(view) {
  const unknown = view.turns.filter((_, i) => lossOf(view, i) === null).length;
  if (unknown > 0) return `${view.turns.length - unknown} of ${view.turns.length} moves analysed so far.`;
  return view.seats.map((seat, number) => {
    const words = view.turns.flatMap((turn3, i) => turn3.seat === number ? [judge(lossOf(view, i))] : []);
    const found = ["blunder", "mistake", "inaccuracy"].flatMap((word) => {
      const n = words.filter((one) => one === word).length;
      return n === 0 ? [] : [`${n} ${n === 1 ? word : word === "inaccuracy" ? "inaccuracies" : `${word}s`}`];
    });
    return `${seat.name}: ${found.length === 0 ? "no mistakes" : found.join(", ")}`;
  }).join(". ") + ".";
}
function describe(view, judged2) {
  const turn3 = view.turns[at - 1];
  if (!turn3) return "The start of the game";
  const loss = judged2 ? lossOf(view, at - 1) : null, lost2 = points(loss ?? 0);
  const verdict = loss === null ? "" : ` — ${judge(loss) || "good"}${lost2 === "0%" ? "" : `, ${lost2} win chance`}`;
  return `Move ${at} of ${view.turns.length}: ${told(view, turn3)}${verdict}`;
}
async function show3(view, judged2, transport2, say2) {
  if (at < 0) return;
  at = Math.min(at, view.turns.length);
  say2(describe(view, judged2));
  element("review-counts").textContent = judged2 ? counts(view) : "";
  for (const [id, none] of [["review-first", at === 0], ["review-back", at === 0], ["review-next", at === view.turns.length], ["review-last", at === view.turns.length]]) {
    element(id).disabled = none;
  }
  element("review-mistake").disabled = !judged2 || !view.turns.some((_, i) => (lossOf(view, i) ?? 0) >= notable);
  element("review-play").disabled = at === view.turns.length;
  const wanted = `${view.id} ${view.version} ${at} ${judged2}`;
  if (wanted === shown) return;
  shown = wanted;
  const ask2 = (ply2) => transport2.ask(`games/${view.id}/positions/${ply2}`);
  const answers = Promise.all([ask2(before(view, at)), at > 0 ? ask2(before(view, at - 1)) : null]);
  answers.catch(() => {
    if (shown === wanted) redraw();
  });
  const [position, earlier] = await answers;
  if (shown !== wanted || at < 0) return;
  draw(position.board, position.text);
  showMove(view.turns[at - 1]?.text ?? "");
  const best = element("review-lines"), lines = judged2 ? earlier?.lines ?? [] : [];
  best.replaceChildren(...lines.map((line) => make("li", `${line.pv.join(" ")} — ${percent(line.share)} win chance`)));
  element("review-best").hidden = lines.length === 0;
}

// ../src/seats.ts
function levelsOf(offer) {
  return offer.players.filter((player) => /, level \d+/.test(player.text));
}
function fill(offer) {
  element("seat-choices").replaceChildren(...offer.seats.map((name, seat) => choice(offer, name, seat)));
}
function chosen() {
  return [...element("seat-choices").querySelectorAll("select")].map((select) => select.value);
}
function choice(offer, name, seat) {
  const levels = levelsOf(offer), box = make("div", "", "choice"), label = make("label", `${name} `);
  const select = make("select"), slider = make("input"), level = make("div", "", "level"), shown2 = make("output");
  select.append(new Option("You", human), ...offer.players.map((player) => new Option(player.text, player.name)));
  const first = offer.players[0];
  if (seat > 0 && first) select.value = first.name;
  label.append(select);
  slider.type = "range";
  slider.min = "1";
  slider.max = String(levels.length);
  slider.value = String(Math.ceil(levels.length / 2));
  slider.setAttribute("aria-label", `Level of ${name}`);
  level.append(slider, shown2);
  box.append(label, level);
  const show5 = () => {
    const at2 = levels.findIndex((player) => player.name === select.value);
    if (at2 >= 0) slider.value = String(at2 + 1);
    level.hidden = at2 < 0;
    shown2.textContent = `${slider.value} of ${levels.length}`;
    for (const option of select.options) {
      const number = levels.findIndex((player) => player.name === option.value);
      option.hidden = number >= 0 && number !== Number(slider.value) - 1;
    }
  };
  select.addEventListener("change", show5);
  slider.addEventListener("input", () => {
    select.value = levels[Number(slider.value) - 1]?.name ?? select.value;
    show5();
  });
  show5();
  return box;
}

// ../src/side.ts
var colours = ["#0072b2", "#d55e00", "#009e73", "#8f5aa8"];
function colourOf(view, seat) {
  const own = /data-seats="([^"]*)"/.exec(view.board)?.[1]?.split(" ");
  return own?.[seat] ?? colours[seat % colours.length] ?? "";
}
function showSeats(view, ply2, playerText2) {
  const latest = ply2 === null ? null : view.values.slice(0, ply2 + 1).reverse().find((value) => value !== null) ?? null;
  element("seats").replaceChildren(...view.seats.map((seat, i) => {
    const box = make("div", "", i === view.turn ? "seat turn" : "seat");
    const share = latest?.[i];
    const name = make("div");
    name.append(swatch(colourOf(view, i)), seat.name, " ", make("span", playerText2(view, seat.player), "who"));
    box.append(name, make("div", share === void 0 ? "" : percent(share), "chance"));
    if (share !== void 0) {
      const meter = make("meter");
      meter.max = 1;
      meter.value = share;
      meter.setAttribute("aria-label", `Win chance of ${seat.name}`);
      box.append(meter);
    }
    return box;
  }));
}
function swatch(colour) {
  const dot = make("span", "", "swatch");
  dot.style.background = colour;
  return dot;
}
var left = 10;
var width = 300;
var top = 10;
var height = 90;
function showGraph(view, at2) {
  const last2 = Math.max(1, view.values.length - 1);
  const x = (ply2) => (left + width * ply2 / last2).toFixed(1);
  const y = (share) => (top + height * (1 - share)).toFixed(1);
  const lines = view.seats.map((_, i) => {
    const known = view.values.map((value, ply2) => value ? `${x(ply2)},${y(value[i] ?? 0)}` : "").filter((point) => point !== "");
    const points2 = known.join(" ");
    return `<polyline class="edge" points="${points2}"/><polyline stroke="${colourOf(view, i)}" points="${points2}"/>`;
  });
  const dots = view.turns.map((turn3, i) => {
    const share = view.values[turn3.ply]?.[turn3.seat];
    return share !== void 0 && (lossOf(view, i) ?? 0) >= notable ? `<circle fill="${colourOf(view, turn3.seat)}" cx="${x(turn3.ply)}" cy="${y(share)}" r="3.5"/>` : "";
  });
  const cursor = at2 === null ? "" : `<line class="cursor" x1="${x(at2)}" x2="${x(at2)}" y1="${top - 5}" y2="${top + height + 5}"/>`;
  element("graph").innerHTML = `<line class="half" x1="${left}" x2="${left + width}" y1="${y(1 / view.seats.length)}" y2="${y(1 / view.seats.length)}"/>${lines.join("")}${dots.join("")}${cursor}`;
}
function pointedAt(view, event) {
  const box = element("graph").getBoundingClientRect(), last2 = Math.max(1, view.values.length - 1);
  const unit = box.width / (2 * left + width);
  return Math.round(Math.max(0, Math.min(1, ((event.clientX - box.left) / unit - left) / width)) * last2);
}
function lineOf(view, line, actions) {
  const text = line.turns.join(" ") + (line.more ? " …" : "");
  const button = make("button", `↳ ${text}`, "line");
  button.type = "button";
  button.setAttribute("aria-label", `Switch to the line ${nameOf2(view, line.seat)}: ${text}`);
  button.addEventListener("click", () => actions.change(line.line));
  return button;
}
var scrolled = "";
function showTurns(view, reviewed, judged2, actions) {
  const list = element("turns");
  const focused2 = [...list.querySelectorAll("button.move")].indexOf(document.activeElement);
  let next = 0;
  const rows = view.turns.map((turn3, i) => {
    const row2 = make("li"), button = make("button", `${nameOf2(view, turn3.seat)}: ${turn3.text}`, "move");
    button.type = "button";
    if (turn3.did !== "") button.title = turn3.did;
    if (i === reviewed) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => actions.goto(i));
    row2.append(button);
    const loss = judged2 ? lossOf(view, i) : null, word = judge(loss);
    if (loss !== null && loss >= notable) row2.append(make("span", ` ${word} ${points(loss)}`, "drop"));
    for (const line of view.lines) if (line.ply >= next && line.ply < turn3.ply) row2.append(lineOf(view, line, actions));
    next = turn3.ply;
    return row2;
  });
  const open2 = view.lines.filter((line) => line.ply >= next);
  if (open2.length > 0) {
    const row2 = make("li", "", "left");
    row2.append(...open2.map((line) => lineOf(view, line, actions)));
    rows.push(row2);
  }
  list.replaceChildren(...rows);
  list.querySelectorAll("button.move")[focused2]?.focus();
  const place = `${view.id} ${view.ply} ${reviewed}`;
  if (place === scrolled) return;
  scrolled = place;
  const row = reviewed === null ? void 0 : rows[Math.max(0, reviewed)];
  list.scrollTop = row ? row.offsetTop - list.offsetTop - list.clientHeight / 2 : list.scrollHeight;
}

// ../src/sound.ts
var key2 = "tiro sounds";
var context = null;
function wire2() {
  const box = element("sounds");
  try {
    box.checked = localStorage.getItem(key2) === "on";
  } catch {
  }
  box.addEventListener("change", () => {
    play(660);
    try {
      localStorage.setItem(key2, box.checked ? "on" : "off");
    } catch {
    }
  });
}
function play(frequency) {
  if (!element("sounds").checked) return;
  context ??= new AudioContext();
  void context.resume();
  const tone = context.createOscillator(), volume = context.createGain(), now = context.currentTime;
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0.15, now);
  volume.gain.exponentialRampToValueAtTime(1e-3, now + 0.12);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.12);
}

// ../src/app.ts
var status = element("status");
var choices = element("choices");
var moveInput = element("move");
var newDialog = element("new-dialog");
var rulesDialog = element("rules-dialog");
var gameChoice = element("game-choice");
var offers = [];
var game = null;
var clicked = [];
var hinted = [];
var judging = null;
var sending = null;
var transport;
var polling = 0;
var lost = false;
var described = "";
function say(text, bad = false) {
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("bad", bad);
}
function run(action) {
  action().catch((fault) => say(fault instanceof Error ? fault.message : String(fault), true));
}
function markBoard(view) {
  const open2 = reachable(view, clicked);
  mark(open2, clicked);
  showChoices(view, open2);
}
function showChoices(view, open2) {
  const offered = open2.filter(({ path }) => path.length === clicked.length);
  choices.replaceChildren(...offered.map(({ action }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action === view.claim ? "Claim a draw" : action;
    button.addEventListener("click", () => run(() => play2(view, action)));
    return button;
  }));
}
function click(cell) {
  if (!game?.person || turn2() !== null) return;
  const view = game;
  clicked.push(cell);
  let open2 = reachable(view, clicked);
  if (open2.length === 0) {
    clicked = clicked.at(-2) === cell ? [] : [cell];
    open2 = reachable(view, clicked);
    if (open2.length === 0) clicked = [];
  }
  const only = open2[0];
  if (clicked.length > 0 && open2.length === 1 && only && only.path.length === clicked.length) {
    run(() => play2(view, only.action));
    return;
  }
  markBoard(view);
}
async function play2(view, move) {
  clicked = [];
  if (sending) return;
  sending = view;
  try {
    show4(await transport.ask(`games/${view.id}/play`, { ply: view.ply, move }));
  } catch (fault) {
    if (game === view && turn2() === null) markBoard(view);
    throw fault;
  } finally {
    if (sending === view) sending = null;
  }
}
function describe2(view) {
  if (view.trouble) return view.trouble;
  if (view.result) return `${view.result}.`;
  const seat = view.seats[view.turn];
  if (!seat) return "";
  const last2 = view.turns.at(-1);
  const moved = last2 ? `${told(view, last2)}. ` : "";
  const note2 = moved + (view.note ? `${view.note}! ` : "");
  if (!view.person) return `${note2}${capitalized(seat.name)} is thinking …`;
  if (view.mid_turn) return `${note2}Now choose ${view.prompt || "what comes next"}`;
  return `${note2}${capitalized(seat.name)} to move`;
}
function judged(view) {
  const level = view.seats.some(({ player }) => playerText(view, player).includes("level ") || player.includes("temperature="));
  return view.result !== "" || (judging ?? !level);
}
function playerText(view, player) {
  if (player === human) return "You";
  const offer = offers.find((one) => one.game === view.game);
  return offer?.players.find((one) => one.name === player)?.text ?? player;
}
function show4(view) {
  if (game?.id === view.id && view.version < game.version) return;
  if (game?.id !== view.id) {
    end();
    described = "";
  }
  if (game?.id !== view.id || view.ply !== game.ply) {
    clicked = [];
    sending = null;
    forgetHint();
  }
  if (game?.id === view.id && view.result !== game.result) play(440);
  else if (game?.id === view.id && view.ply > game.ply) play(660);
  game = view;
  if (view.thinking) pollLater(view.id);
  note(view, playerText);
  show(view, playerText);
  element("title").textContent = view.title;
  document.title = `${view.title} · Tiro`;
  element("legal").replaceChildren(...view.legal.map((name) => new Option(name, name)));
  element("save").disabled = false;
  element("save-sgf").hidden = !view.sgf;
  element("resign").disabled = !view.person || view.seats.length !== 2;
  const judge2 = judged(view);
  element("judge").checked = judge2;
  element("judge").disabled = view.result !== "";
  element("graph-figure").hidden = !judge2;
  element("review").disabled = view.turns.length === 0 || !judge2;
  moveInput.disabled = !view.person;
  if (!view.person) forgetHint();
  const ply2 = ply(view);
  element("undo").disabled = view.ply === 0 || ply2 !== null;
  element("hint").disabled = !view.person || ply2 !== null;
  showSeats(view, judge2 ? ply2 ?? view.ply : null, playerText);
  showGraph(view, ply2);
  showTurns(view, turn2(), judge2, { goto: (turn3) => look(turn3 + 1), change: (line) => change("line", { line }) });
  if (ply2 === null) {
    showBoard(view);
  } else {
    described = "";
    run(() => show3(view, judge2, transport, say));
  }
}
function showBoard(view) {
  const focused2 = focused(), text = describe2(view);
  if (text !== described) say(text, view.trouble !== "");
  described = text;
  draw(view.board, view.text);
  markBoard(view);
  showMove(view.turns.at(-1)?.text ?? "");
  showLines(hinted);
  element("flip").disabled = !canFlip();
  if (focused2 !== null) focus(focused2);
}
function look(turns) {
  if (!game) return;
  clicked = [];
  choices.replaceChildren();
  begin(game, turns);
  show4(game);
}
function change(what, more = {}) {
  run(async () => {
    if (!game) return;
    const view = await transport.ask(`games/${game.id}/${what}`, { ply: game.ply, ...more });
    end();
    show4(view);
    if (what === "back") focus("");
  });
}
var soon = 250;
var later = 1e3;
async function poll(id) {
  clearTimeout(polling);
  if (location.hash !== `#${id}`) return;
  try {
    const version = document.hidden && game?.id === id ? game.version : await transport.ask(`games/${id}/version`);
    if (game?.id !== id || version !== game.version || lost) {
      if (game?.id === id && version < game.version) game = { ...game, version };
      const view = await transport.ask(`games/${id}`);
      if (location.hash === `#${id}`) show4(view);
      lost = false;
    }
  } catch (fault) {
    lost = true;
    described = "";
    say(fault instanceof TypeError ? "The server does not answer. Retrying …" : String(fault.message), true);
  }
  if (location.hash === `#${id}`) pollLater(id);
}
function pollLater(id) {
  clearTimeout(polling);
  polling = setTimeout(() => void poll(id), game?.thinking ? soon : later);
}
function open(id) {
  newDialog.close();
  if (location.hash !== `#${id}`) history.replaceState(null, "", `#${id}`);
  void poll(id);
}
function fillSeats() {
  const offer = offers[gameChoice.selectedIndex];
  if (offer) fill(offer);
}
async function begin2(what) {
  const view = await transport.ask("games", what);
  moveInput.value = "";
  show4(view);
  open(view.id);
  focus("");
}
async function hint() {
  if (!game) return;
  const view = game;
  say("Looking for the best moves …");
  const lines = await transport.ask(`games/${view.id}/hint`, { ply: view.ply });
  if (game.id !== view.id || game.ply !== view.ply || turn2() !== null) return;
  say(describe2(view));
  hinted = lines;
  showLines(hinted);
  element("hints").replaceChildren(...lines.map((line) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = line.move;
    button.addEventListener("click", () => run(() => play2(view, line.move)));
    row.append(button, ` ${percent(line.share)} win chance; ${line.pv.slice(0, 6).join(" ")}`);
    return row;
  }));
}
function forgetHint() {
  hinted = [];
  element("hints").replaceChildren();
}
async function save(format, ending) {
  if (!game) return;
  const file = `${game.game.replace(/[^a-z0-9]+/g, "-")}-${(/* @__PURE__ */ new Date()).toISOString().slice(0, 10)}.${ending}`;
  const answer = await transport.ask(`games/${game.id}/${format}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([answer[format] ?? ""], { type: "text/plain" }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
}
function flip2() {
  if (!game) return;
  flip();
  redraw();
  show4(game);
}
function elsewhere(event) {
  return event.target.matches("input:not([type=checkbox]), select") || document.querySelector("dialog[open]") !== null;
}
function wireReview() {
  const on = (id, act) => element(id).addEventListener("click", () => {
    if (!game) return;
    act(game);
    show4(game);
  });
  for (const id of ["review", "end-review"]) {
    element(id).addEventListener("click", () => {
      look(game?.turns.length ?? 0);
      element("review-back").focus({ preventScroll: true });
    });
  }
  on("review-first", (view) => begin(view, 0));
  on("review-back", (view) => step2(view, -1));
  on("review-next", (view) => step2(view, 1));
  on("review-last", (view) => begin(view, view.turns.length));
  on("review-mistake", (view) => nextMistake(view));
  on("review-end", () => end());
  element("review-end").addEventListener("click", () => element("review").focus({ preventScroll: true }));
  element("review-play").addEventListener("click", () => {
    if (game) change("back", { to: ply(game) ?? game.ply });
  });
  element("graph").addEventListener("click", (event) => {
    if (!game) return;
    const ply2 = pointedAt(game, event);
    look(game.turns.filter((turn3) => turn3.ply <= ply2).length);
  });
  document.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!game || by === void 0 || turn2() === null || elsewhere(event)) return;
    event.preventDefault();
    step2(game, by);
    show4(game);
  });
}
var keys = { u: "undo", h: "hint", r: "review", f: "flip", n: "new-button", "?": "rules-button" };
function wireKeys() {
  document.addEventListener("keydown", (event) => {
    const id = keys[event.key.toLowerCase()];
    if (!id || event.ctrlKey || event.altKey || event.metaKey || elsewhere(event)) return;
    event.preventDefault();
    element(id).click();
  });
}
function showDialog() {
  show2();
  newDialog.showModal();
}
function wire3() {
  wire(click);
  element("move-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const view = game, move = moveInput.value.trim();
    if (!view || move === "") return;
    run(async () => {
      await play2(view, move);
      if (moveInput.value.trim() === move) moveInput.value = "";
    });
  });
  element("judge").addEventListener("change", () => {
    judging = element("judge").checked;
    if (!judging) end();
    if (game) show4(game);
  });
  element("undo").addEventListener("click", () => change("undo"));
  const resignDialog = element("resign-dialog");
  element("resign").addEventListener("click", () => resignDialog.showModal());
  element("resign-form").addEventListener("submit", (event) => {
    if (event.submitter?.value === "resign") change("resign");
  });
  element("hint").addEventListener("click", () => run(hint));
  element("save").addEventListener("click", () => run(() => save("record", "pgn")));
  element("save-sgf").addEventListener("click", () => run(() => save("sgf", "sgf")));
  element("flip").addEventListener("click", flip2);
  element("end-again").addEventListener("click", () => {
    const again = game;
    if (again) run(() => begin2({ game: again.game, seats: again.seats.map((_, i) => again.seats.at(i - 1)?.player ?? "") }));
  });
  wire2();
  wireReview();
  wireKeys();
  element("new-button").addEventListener("click", showDialog);
  element("new-cancel").addEventListener("click", () => newDialog.close());
  element("recent-games").addEventListener("click", (event) => {
    if (event.target.matches("a")) newDialog.close();
  });
  newDialog.addEventListener("close", () => {
    if (!game) say("No game yet. Press New game to start one.");
  });
  element("new-form").addEventListener("submit", () => run(() => begin2({ game: offers[gameChoice.selectedIndex]?.game ?? "", seats: chosen() })));
  gameChoice.addEventListener("change", fillSeats);
  element("rules-button").addEventListener("click", () => {
    const offer = offers.find((one) => one.game === game?.game) ?? offers[gameChoice.selectedIndex];
    element("rules-text").replaceChildren(...paragraphs(offer?.rules || "This game has no text of its rules."));
    rulesDialog.showModal();
  });
  const file = element("load-file");
  element("load").addEventListener("click", () => file.click());
  file.addEventListener("change", () => run(async () => {
    const chosen2 = file.files?.[0];
    if (!chosen2) return;
    newDialog.close();
    file.value = "";
    const record = await chosen2.text();
    if (record === "") throw new Error(`${chosen2.name} is empty.`);
    await begin2({ record });
  }));
  window.addEventListener("hashchange", () => open(location.hash.slice(1)));
  document.addEventListener("visibilitychange", () => void poll(location.hash.slice(1)));
}
function start(to) {
  transport = to;
  run(async () => {
    wire3();
    say("Loading …");
    offers = await transport.ask("offer");
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

// ../src/http.ts
async function request(address, options = {}) {
  let answer, data;
  try {
    answer = await fetch(address, options);
    data = await answer.json();
  } catch {
    throw new TypeError("The server does not answer.");
  }
  if (!answer.ok) throw new Error(data.error);
  return { data, headers: answer.headers };
}
async function ask(path, body) {
  const { data } = await request(`api/${path}`, body === void 0 ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body)
  });
  return data;
}
var http = { ask };

// ../src/kept.ts
var most2 = 50;
var prefix = `tiro ${new URL(".", location.href).pathname} `;
var order = `${prefix}order`;
function ids() {
  const text = localStorage.getItem(order) ?? "";
  return text === "" ? [] : text.split(" ");
}
function all2() {
  const games = {};
  try {
    for (const id of ids()) {
      const game2 = localStorage.getItem(prefix + id);
      if (game2 !== null) games[id] = game2;
    }
  } catch {
  }
  return games;
}
function keep(id, game2) {
  try {
    const kept = [...ids().filter((other) => other !== id), id];
    const dropOldest = () => localStorage.removeItem(prefix + (kept.shift() ?? ""));
    while (kept.length > most2) dropOldest();
    while (kept.length > 0 && !stored(prefix + id, game2)) dropOldest();
    localStorage.setItem(order, kept.join(" "));
  } catch {
  }
}
function stored(key3, text) {
  try {
    localStorage.setItem(key3, text);
    return true;
  } catch {
    return false;
  }
}

// ../src/local.ts
function local() {
  const worker = new Worker("worker.js");
  const send = (message) => worker.postMessage(message);
  const waiting = /* @__PURE__ */ new Map();
  let numbers = 0, broken = "";
  const fail = (why) => {
    broken = why;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  const settle = (number, how) => {
    const one = waiting.get(number);
    waiting.delete(number);
    if (one) how(one);
  };
  worker.onmessage = (event) => {
    const message = event.data;
    switch (message.kind) {
      case "answered":
        return settle(message.number, (one) => one.resolve(JSON.parse(message.answer)));
      case "refused":
        return settle(message.number, (one) => one.reject(new Error(message.why)));
      case "save":
        return keep(message.id, message.game);
      case "failed":
        return fail(message.why);
    }
  };
  worker.onerror = (event) => fail(event.message || "worker.js cannot be loaded");
  send({ kind: "start", saved: all2() });
  return {
    ask(path, body) {
      if (broken !== "") return Promise.reject(new Error(broken));
      const number = ++numbers;
      return new Promise((resolve, reject) => {
        waiting.set(number, { resolve: (answer) => resolve(answer), reject });
        send({ kind: "ask", number, post: body !== void 0, path, body: body === void 0 ? "" : JSON.stringify(body) });
      });
    }
  };
}

// ../src/page.ts
if (document.querySelector('meta[name="transport"][content="worker"]')) {
  start(local());
  try {
    navigator.serviceWorker?.register("offline.js").catch(() => {
    });
  } catch {
  }
} else {
  start(http);
  http.ask("runs").then((runs) => {
    element("runs-link").hidden = runs.length === 0;
  }, () => void 0);
}
