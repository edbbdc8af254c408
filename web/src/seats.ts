// The choice of players in the dialog for a new game.

import { element, make } from "./dom";
import { human } from "./view";
import type { Offer, Player } from "./view";

// levelsOf returns the levels of an offer, from weak to strong.
function levelsOf(offer: Offer): Player[] { return offer.players.filter((player) => /, level \d+/.test(player.text)); }

// fill offers the players of a game for each of its seats.
export function fill(offer: Offer): void {
  element("seat-choices").replaceChildren(...offer.seats.map((name, seat) => choice(offer, name, seat)));
}

// chosen returns the chosen players, by seat.
export function chosen(): string[] {
  return [...element("seat-choices").querySelectorAll("select")].map((select) => select.value);
}

// choice returns the choice for a seat: a list of players, in which all levels are one entry
// with a slider.
function choice(offer: Offer, name: string, seat: number): HTMLElement {
  const levels = levelsOf(offer), box = make("div", "", "choice"), label = make("label", `${name} `);
  const select = make("select"), slider = make("input"), level = make("div", "", "level"), shown = make("output");
  select.append(new Option("You", human), ...offer.players.map((player) => new Option(player.text, player.name)));
  const first = offer.players[0];
  if (seat > 0 && first) select.value = first.name;
  label.append(select);
  slider.type = "range";
  slider.min = "1";
  slider.max = String(levels.length);
  slider.value = String(Math.ceil(levels.length / 2));
  slider.setAttribute("aria-label", `Level of ${name}`);
  level.append(slider, shown);
  box.append(label, level);
  const show = (): void => {
    const at = levels.findIndex((player) => player.name === select.value);
    if (at >= 0) slider.value = String(at + 1);
    level.hidden = at < 0;
    shown.textContent = `${slider.value} of ${levels.length}`;
    for (const option of select.options) {
      const number = levels.findIndex((player) => player.name === option.value);
      option.hidden = number >= 0 && number !== Number(slider.value) - 1;
    }
  };
  select.addEventListener("change", show);
  slider.addEventListener("input", () => {
    select.value = levels[Number(slider.value) - 1]?.name ?? select.value;
    show();
  });
  show();
  return box;
}
