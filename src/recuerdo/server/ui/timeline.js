// What held when: for each attribute the values one after another, "Lima until March → Porto".

import { el } from './dom.js';
import { day, t } from './language.js';
import { attribute } from './seen.js';

const MOST = 6; // values of one attribute; the latest are the ones that are shown

export const begins = (memory) => new Date(memory.valid_from ?? memory.created_at);

const held = (memory, at) => begins(memory) <= at && (!memory.valid_until || at < new Date(memory.valid_until));

export function timeline(memories, at, onOpen) {
  const lines = Map.groupBy(memories.filter((memory) => memory.attribute && memory.value), (memory) => memory.attribute);
  const sorted = [...lines.values()].map((line) => line.sort((one, other) => begins(one) - begins(other)));
  sorted.sort((one, other) => begins(other.at(-1)) - begins(one.at(-1)));
  return sorted.map((line) => row(line, at, onOpen));
}

function row(line, at, onOpen) {
  const shown = line.slice(-MOST);
  return el(
    'li',
    { class: 'line' },
    el('b', { class: 'attribute' }, attribute(line[0])),
    line.length > MOST ? el('span', { class: 'hint' }, t('andEarlier', { n: line.length - MOST })) : null,
    el('ol', {}, ...shown.map((memory, n) => el('li', { class: shown[n - 1]?.valid_until ? 'after' : null }, span(memory, at, onOpen)))),
  );
}

function span(memory, at, onOpen) {
  const until = memory.valid_until ? t('untilDay', { day: day(memory.valid_until) }) : t('sinceDay', { day: day(begins(memory)) });
  return el(
    'button',
    { type: 'button', class: held(memory, at) ? 'span held' : 'span', onclick: () => onOpen(memory) },
    el('b', {}, memory.value),
    el('small', {}, until),
  );
}
