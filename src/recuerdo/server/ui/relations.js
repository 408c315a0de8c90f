// Whom and what the memories are about, and how these relate: a small drawing, and every relation in words.

import { el, svg } from './dom.js';
import { day, t } from './language.js';

const [WIDEST, HEIGHT, NARROW] = [760, 400, 480];
const LONGEST = [12, 18]; // characters of a name in the drawing, of a narrow one and a wide one
const LINES = 60;
const USER = 'user';

// `at` is the time that the page is rewound to: what held then is drawn as what holds.
export function relations({ entities, relations: all }, at, width, onOpen) {
  const names = new Map(entities.map(({ id, name }) => [id, id === USER ? t('you') : name]));
  const held = ({ since, until }) => new Date(since) <= at && (!until || at < new Date(until));
  const sorted = [...all].sort((one, other) => held(other) - held(one) || new Date(other.since) - new Date(one.since));
  const lines = sorted.slice(0, LINES).map((relation) => line(relation, names, held(relation), onOpen));
  const rest = sorted.length > LINES ? el('p', { class: 'hint' }, t('andMore', { n: sorted.length - LINES })) : '';
  return sorted.length ? [drawing(sorted, entities, names, held, width), el('ul', { class: 'relation-lines' }, ...lines), rest] : [];
}

const words = (name) => t('relationNames')[name] ?? name;

function line(relation, names, isHeld, onOpen) {
  const until = relation.until ? t('untilDay', { day: day(relation.until) }) : t('sinceDay', { day: day(relation.since) });
  return el(
    'li',
    {},
    el(
      'button',
      { type: 'button', class: isHeld ? 'span held' : 'span', onclick: () => onOpen(relation.memories[0]) },
      el('span', {}, `${relation.subject === USER ? '' : `${names.get(relation.subject)} `}${words(relation.name)} `, el('b', {}, names.get(relation.object))),
      el('small', {}, until),
    ),
  );
}

// The user in the middle, around them what relates to them, and further out what relates to that. The list says it all.
function drawing(sorted, entities, names, held, width) {
  const [wide, high] = [Math.min(Math.max(width, 300), WIDEST), width < NARROW ? HEIGHT + 40 : HEIGHT];
  const [most, longest] = width < NARROW ? [9, LONGEST[0]] : [16, LONGEST[1]];
  const places = placed(sorted, most, wide, high);
  const kinds = new Map(entities.map(({ id, kind }) => [id, kind]));
  const edges = sorted.filter(({ subject, object }) => places.has(subject) && places.has(object)).map((relation) => edge(relation, places, held(relation), longest));
  const nodes = [...places].map(([id, { x, y }]) => node(names.get(id), kinds.get(id), { x, y, isAbove: y < high / 2 - 1 }, longest));
  return svg('svg', { class: 'relation-drawing', viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': t('relationDrawing') }, ...edges, ...nodes);
}

function placed(sorted, most, wide, high) {
  const around = [...new Set(sorted.filter(({ subject }) => subject === USER).map(({ object }) => object))].slice(0, most);
  const places = new Map([[USER, { x: wide / 2, y: high / 2 }]]);
  around.forEach((id, at) => places.set(id, onEllipse((at / around.length) * 2 * Math.PI, wide * 0.34, high * 0.36, wide, high)));
  const further = sorted.filter(({ subject, object }) => subject !== USER && places.has(subject) && !places.has(object)).slice(0, most / 2);
  for (const { subject, object } of further) {
    const { x, y } = places.get(subject);
    const angle = Math.atan2((y - high / 2) / high, (x - wide / 2) / wide) + 0.5 * Math.PI * 0.22;
    places.set(object, onEllipse(angle, wide * 0.42, high * 0.46, wide, high));
  }
  return places;
}

const onEllipse = (angle, rx, ry, wide, high) => ({ x: wide / 2 + rx * Math.cos(angle), y: high / 2 + ry * Math.sin(angle) });

function edge({ subject, object, name }, places, isHeld, longest) {
  const [from, to] = [places.get(subject), places.get(object)];
  const middle = { x: (from.x * 2 + to.x * 3) / 5, y: (from.y * 2 + to.y * 3) / 5 };
  const label = svg('text', { class: 'relation-name', x: middle.x, y: middle.y - 3, 'text-anchor': 'middle' }, shortened(words(name), longest));
  return svg('g', { class: isHeld ? 'relation held' : 'relation' }, svg('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y }), label);
}

// The name stands where no line to the middle is.
function node(name, kind, { x, y, isAbove }, longest) {
  const text = svg('text', { x, y: isAbove ? y - 13 : y + 22, 'text-anchor': 'middle' }, shortened(name, longest));
  return svg('g', { class: `relation-node kind-${kind}` }, svg('title', {}, name), svg('circle', { cx: x, cy: y, r: kind === 'user' ? 11 : 7 }), text);
}

const shortened = (text, longest) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
