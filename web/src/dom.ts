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
