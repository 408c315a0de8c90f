// Why this answer: what the model got, what it did not get and why, and what the turn did to memories.

import * as api from './api.js';
import { byId, el } from './dom.js';
import { counted, day, precise, t } from './language.js';
import { attribute } from './seen.js';
import { textOf } from './conversation.js';
import { sourceHash, threadHash } from './threads.js';
import { begins } from './timeline.js';

const LAYERS = ['system', 'day', 'documents', 'passages', 'preferences', 'memories', 'history', 'message'];

// `agent`: who has answered, unless it was the server's own.
export async function openWhy(thread, seq, agent = null) {
  const why = await api.whyOf(thread, seq, agent);
  const tokens = why.layers.reduce((sum, layer) => sum + layer.tokens, 0);
  byId('why-note').textContent = `${t(why.exact ? 'whyExact' : 'whyNotExact')} ${counted('nTokens', tokens)} · ${why.model}`;
  byId('why-body').replaceChildren(
    ...[bar(why.layers, tokens), legend(why.layers), ...memories(why), ...passages(why.passages), ...leftOut(why.left_out), ...prompt(why.prompt)],
  );
  byId('why-dialog').showModal();
  byId('why-dialog').scrollTop = 0;
}

export function startWhy() {
  byId('close-why').addEventListener('click', () => byId('why-dialog').close());
  byId('why-body').addEventListener('click', (event) => event.target.closest('a') && byId('why-dialog').close());
}

// The widths say what the legend says in numbers.
function bar(layers, tokens) {
  const parts = layers.filter((layer) => layer.tokens).map((layer) => {
    const part = el('span', { class: `layer layer-${LAYERS.indexOf(layer.name)}` });
    part.style.flexGrow = String(layer.tokens / Math.max(tokens, 1));
    return part;
  });
  return el('div', { class: 'tokens', 'aria-hidden': 'true' }, ...parts);
}

function legend(layers) {
  const line = (layer) =>
    el('li', {}, el('span', { class: `dot layer-${LAYERS.indexOf(layer.name)}` }), el('span', {}, t('layers')[layer.name]), el('b', {}, counted('nTokens', layer.tokens)));
  return el('ul', { class: 'legend' }, ...layers.map(line));
}

function memories(why) {
  const groups = [
    ['whyUsed', why.memories_used],
    ['whySaved', why.memories_saved],
    ['whyEnded', why.memories_ended],
    ['whyWaiting', why.memories_waiting],
  ];
  const isScored = Object.keys(why.scores).length > 0; // replies of before know no scores
  const found = groups.filter(([, list]) => list.length).flatMap(([title, list]) => section(t(title), list.map((one) => memory(one, title === 'whyUsed' && isScored ? why.scores[one.id] ?? null : undefined))));
  return why.gone ? [...found, el('p', { class: 'hint' }, counted('whyGone', why.gone))] : found;
}

// A memory with the time in which it holds, how well it fitted (null: it stands in any prompt), and where it comes from.
function memory(one, score) {
  const times = [t('sinceDay', { day: day(begins(one)) }), one.valid_until ? t('untilDay', { day: day(one.valid_until) }) : null];
  const fits = score === undefined || one.valid_until ? null : score === null ? t('fitsAlways') : t('fits', { n: precise(score) });
  const source = one.source.thread ? el('a', { href: sourceHash(one) }, t('seeSource')) : t('sourceHand');
  return el('li', {}, attribute(one) ? el('b', {}, `${attribute(one)}: `) : null, one.text, el('small', {}, [...times, fits].filter(Boolean).join(' · '), ' · ', source));
}

function passages(hits) {
  const line = ({ message, thread_id: thread, seq }) =>
    el('li', {}, el('b', {}, `${t(message.role === 'user' ? 'you' : message.role)}: `), shortened(textOf(message)), el('small', {}, message.created_at ? `${day(message.created_at)} · ` : '', el('a', { href: `${threadHash(thread)}/${seq}` }, t('openPassage'))));
  return hits.length ? section(t('whyPassages'), hits.map(line)) : [];
}

const LONGEST = 240;
const shortened = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);

function leftOut(ranges) {
  const line = ({ first, last, reason }) =>
    el('li', {}, el('b', {}, counted('nMessages', last - first + 1)), ` (${first === last ? first : `${first}–${last}`}): ${t(`left_${reason}`)}`);
  return ranges.length ? section(t('whyLeftOut'), ranges.map(line)) : [];
}

const section = (title, lines) => [el('h3', {}, title), el('ul', { class: 'lines' }, ...lines)];

function prompt(messages) {
  const said = (message) => el('div', { class: `seen-entry ${message.role}` }, el('b', {}, t(message.role === 'user' ? 'you' : message.role)), el('span', {}, textOf(message)));
  return [el('h3', {}, t('whyPrompt')), ...messages.map(said)];
}
