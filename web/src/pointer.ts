// The values of charts under the pointer. A dot of a chart has its value as its title.

import { make } from "./dom";

// nearest returns the dots of a chart that are nearest to the pointer, one for each line.
function nearest(chart: Element, x: number): Element[] {
  const lines = new Map<string, { dot: Element; away: number }>();
  for (const dot of chart.querySelectorAll(".dot")) {
    const box = dot.getBoundingClientRect(), away = Math.abs(box.left + box.width / 2 - x);
    const line = /\bd\d\b/.exec(dot.getAttribute("class") ?? "")?.[0] ?? "", best = lines.get(line);
    if (!best || away < best.away) lines.set(line, { dot, away });
  }
  return [...lines.values()].map(({ dot }) => dot);
}

// wire shows the values in a box beside the pointer.
export function wire(charts: HTMLElement, box: HTMLElement): void {
  const mark = (dots: Element[]): void => {
    for (const dot of charts.querySelectorAll(".pointed")) dot.classList.remove("pointed");
    for (const dot of dots) dot.classList.add("pointed");
    box.hidden = dots.length === 0;
  };
  const show = (event: PointerEvent): void => {
    const chart = (event.target as Element).closest("svg.chart"), dots = chart ? nearest(chart, event.clientX) : [];
    mark(dots);
    box.replaceChildren(...dots.map((dot) => make("div", dot.querySelector("title")?.textContent ?? "")));
    const left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8), top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8);
    box.style.left = `${Math.max(8, left)}px`;
    box.style.top = `${Math.max(8, top)}px`;
  };
  charts.addEventListener("pointermove", show);
  charts.addEventListener("pointerdown", show); // a touch
  charts.addEventListener("pointerleave", () => mark([]));
}
