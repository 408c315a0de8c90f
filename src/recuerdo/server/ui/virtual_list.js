// A list of any length of which only the rows in view are elements. All rows are equally high.

import { el } from './dom.js';

const BEYOND = 6; // rows above and below those in view, so that the keyboard always finds the next one

export class VirtualList {
  #rows = new Map();
  #items = [];
  #list;

  // `row` makes the content of an item's `li`; `onNearEnd` is told when the last rows come into view.
  constructor(scroller, { height, label, row, onNearEnd }) {
    this.scroller = scroller;
    this.height = height;
    this.row = row;
    this.onNearEnd = onNearEnd;
    this.#list = el('ul', { class: 'virtual', 'aria-label': label });
    scroller.replaceChildren(this.#list);
    scroller.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(scroller);
  }

  get items() {
    return this.#items;
  }

  set label(text) {
    this.#list.setAttribute('aria-label', text);
  }

  show(items) {
    this.#items = items;
    this.#rows.clear();
    const isFocused = this.#list.contains(document.activeElement);
    this.#list.replaceChildren();
    this.#list.style.height = `${items.length * this.height}px`;
    this.#draw();
    if (isFocused) (this.#list.querySelector('button') ?? this.scroller).focus();
  }

  more(items) {
    this.#items = [...this.#items, ...items];
    this.#list.style.height = `${this.#items.length * this.height}px`;
    for (const row of this.#rows.values()) row.setAttribute('aria-setsize', this.#items.length);
    this.#draw();
  }

  #draw() {
    const { scrollTop, clientHeight } = this.scroller;
    if (!clientHeight) return;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - BEYOND);
    const last = Math.min(this.#items.length, Math.ceil((scrollTop + clientHeight) / this.height) + BEYOND);
    for (const [at, row] of this.#rows) {
      if (at >= first && at < last) continue;
      row.remove();
      this.#rows.delete(at);
    }
    for (let at = first; at < last; at += 1) if (!this.#rows.has(at)) this.#add(at);
    if (last === this.#items.length) this.onNearEnd();
  }

  // In the order of the list, so that the keyboard and a screen reader go through it from top to bottom.
  #add(at) {
    const row = el('li', { 'aria-setsize': this.#items.length, 'aria-posinset': at + 1 }, ...this.row(this.#items[at]));
    row.style.transform = `translateY(${at * this.height}px)`;
    row.style.height = `${this.height}px`;
    const after = [...this.#rows.keys()].filter((one) => one > at).sort((one, other) => one - other)[0];
    this.#list.insertBefore(row, after === undefined ? null : this.#rows.get(after));
    this.#rows.set(at, row);
  }
}
