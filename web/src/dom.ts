// What the pages share.

// element returns the element of the page with an id.
export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found as T;
}

// make returns a new element with a text.
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

// percent writes a part of a whole.
export function percent(share: number): string { return `${Math.round(100 * share)}%`; }

// paragraphs returns a text as elements: pictures made of signs keep their shape, and what
// is to be typed, between backquotes, looks like that.
export function paragraphs(text: string): HTMLElement[] {
  return text.split(/\n{2,}/).map((part) => {
    if (/^ |\S {3,}/m.test(part)) return make("pre", part);
    const prose = make("p");
    prose.append(...part.split("`").map((piece, i) => (i % 2 === 1 ? make("code", piece) : piece)));
    return prose;
  });
}
