// Helpers that the pages share.

// element returns the element of the page with the given id.
export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found as T;
}

// make returns a new element with the given text.
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

// capitalized returns a text with a capital first letter.
export function capitalized(text: string): string { return text.charAt(0).toUpperCase() + text.slice(1); }

// percent formats a fraction as a percentage.
export function percent(share: number): string { return `${Math.round(100 * share)}%`; }

// paragraphs returns a text as elements. Drawings made of characters keep their layout, and
// text between backquotes looks like input to type.
export function paragraphs(text: string): HTMLElement[] {
  return text.split(/\n{2,}/).map((part) => {
    if (/^ |\S {3,}/m.test(part)) return make("pre", part);
    const prose = make("p");
    prose.append(...part.split("`").map((piece, i) => (i % 2 === 1 ? make("code", piece) : piece)));
    return prose;
  });
}
