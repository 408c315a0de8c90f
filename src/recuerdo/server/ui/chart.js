// A small chart of the last minutes: some lines over the same time, and in words what they say now.

import { el, svg } from './dom.js';

const MOST = 60; // points
const [WIDTH, HEIGHT] = [300, 70];

export class Chart {
  #points = [];

  // `names` are those of the lines, `format` says a value in words.
  constructor(title, names, format) {
    this.names = names;
    this.format = format;
    this.drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    this.legend = el('ul', { class: 'chart-legend' });
    this.element = el('section', { class: 'card chart' }, el('h2', {}, title), this.drawing, this.legend);
    this.#draw();
  }

  get isEmpty() {
    return this.#points.length === 0;
  }

  // A value for each line; null where nothing was measured.
  push(values) {
    this.#points = [...this.#points, values].slice(-MOST);
    this.#draw();
  }

  #draw() {
    const top = Math.max(...this.#points.flat(), 0) || 1;
    const x = (at) => WIDTH - ((this.#points.length - 1 - at) * WIDTH) / (MOST - 1);
    const y = (value) => HEIGHT - 3 - (value / top) * (HEIGHT - 8);
    const lines = this.names.map((_, line) => {
      const points = this.#points.flatMap((values, at) => (values[line] === null ? [] : [`${x(at).toFixed(1)},${y(values[line]).toFixed(1)}`]));
      return svg('polyline', { class: `series-${line}`, points: points.join(' ') });
    });
    this.drawing.replaceChildren(svg('line', { x1: 0, x2: WIDTH, y1: HEIGHT - 1, y2: HEIGHT - 1 }), ...lines);
    const now = this.#points.at(-1) ?? this.names.map(() => null);
    const entry = (name, line) => el('li', {}, el('i', { class: `dot series-${line}`, 'aria-hidden': 'true' }), name, el('b', {}, now[line] === null ? '–' : this.format(now[line])));
    this.legend.replaceChildren(...this.names.map(entry));
  }
}
