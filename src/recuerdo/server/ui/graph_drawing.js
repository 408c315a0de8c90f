// A graph as a picture: its nodes in layers, from the start to the end, and where a run is.

import { svg } from './dom.js';

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [132, 36, 24, 34];
const NAMES = { __start__: '▶', __end__: '■' };

export class GraphDrawing {
  #boxes = new Map();

  constructor({ nodes, edges }, label) {
    const layers = layersOf(nodes.map(({ id }) => id), edges);
    const widest = Math.max(...layers.map((layer) => layer.length));
    const [width, height] = [widest * (WIDTH + GAP_X), layers.length * (HEIGHT + GAP_Y) - GAP_Y + 8];
    const places = new Map(layers.flatMap((layer, row) => layer.map((id, at) => [id, { x: (width - layer.length * (WIDTH + GAP_X) + GAP_X) / 2 + at * (WIDTH + GAP_X), y: 4 + row * (HEIGHT + GAP_Y), row }])));
    const lines = edges.filter(({ source, target }) => places.has(source) && places.has(target)).map((edge) => line(edge, places.get(edge.source), places.get(edge.target)));
    this.element = svg('svg', { class: 'graph', role: 'img', 'aria-label': `${label}: ${edges.map(({ source, target }) => `${named(source)} → ${named(target)}`).join(', ')}`, viewBox: `0 0 ${width} ${height}`, width, height }, ...lines);
    for (const [id, place] of places) this.#add(id, place);
  }

  // What a node does now: `running`, `done`, `waiting`, `failed`; without a name nothing has been done.
  mark(id, state) {
    if (id === null) for (const box of this.#boxes.values()) box.removeAttribute('data-state');
    else this.#boxes.get(id)?.setAttribute('data-state', state);
  }

  #add(id, { x, y }) {
    const text = named(id).length > 16 ? `${named(id).slice(0, 15)}…` : named(id);
    const box = svg('g', { class: 'node' }, svg('rect', { x, y, width: WIDTH, height: HEIGHT, rx: 10 }), svg('text', { x: x + WIDTH / 2, y: y + HEIGHT / 2 + 5, 'text-anchor': 'middle' }, text));
    this.#boxes.set(id, box);
    this.element.append(box);
  }
}

const named = (id) => NAMES[id] ?? id;

// Each node one layer below the first that leads to it; what nothing leads to comes first.
function layersOf(ids, edges) {
  const rows = new Map(ids.filter((id) => !edges.some(({ target }) => target === id)).map((id) => [id, 0]));
  if (!rows.size && ids.length) rows.set(ids[0], 0);
  const waiting = [...rows.keys()];
  while (waiting.length) {
    const id = waiting.shift();
    for (const { target } of edges.filter(({ source }) => source === id)) {
      if (rows.has(target)) continue;
      rows.set(target, rows.get(id) + 1);
      waiting.push(target);
    }
  }
  for (const id of ids) if (!rows.has(id)) rows.set(id, 0);
  if (rows.has('__end__')) rows.set('__end__', Math.max(...[...rows].filter(([id]) => id !== '__end__').map(([, row]) => row)) + 1);
  const layers = [];
  for (const [id, row] of rows) (layers[row] ??= []).push(id);
  return layers.filter(Boolean);
}

// Down from the middle of a node; back up, or past others, in an arc beside them.
function line({ conditional }, from, to) {
  const [x1, x2] = [from.x + WIDTH / 2, to.x + WIDTH / 2];
  const kind = conditional ? 'edge conditional' : 'edge';
  if (to.row === from.row + 1) {
    const [y1, y2] = [from.y + HEIGHT, to.y];
    return svg('path', { class: kind, d: `M${x1} ${y1}C${x1} ${y1 + GAP_Y / 2} ${x2} ${y2 - GAP_Y / 2} ${x2} ${y2}m-4 -7l4 7l4 -7` });
  }
  const [y1, y2] = [from.y + HEIGHT / 2, to.y + HEIGHT / 2];
  const [side, end] = [from.x + WIDTH, to.x + WIDTH];
  const out = Math.max(side, end) + GAP_X;
  return svg('path', { class: kind, d: `M${side} ${y1}C${out} ${y1} ${out} ${y2} ${end} ${y2}m7 -4l-7 4l7 4` });
}
