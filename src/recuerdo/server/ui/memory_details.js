// One memory, whole: what it says, since when, from which sentence, what was done to it, and how to correct it.

import * as api from './api.js';
import { byId, confirmed, el, icon, options } from './dom.js';
import { day, moment, t } from './language.js';
import { attribute } from './seen.js';
import { sourceHash } from './threads.js';

const CHANGES = 20;
const DAY = 86400; // seconds
const TERMS = [1, 7, 30, 365]; // days

export class MemoryDetails {
  #dialog = byId('memory-dialog');
  #body = byId('memory-details');
  #memory = null;

  constructor({ onChange, onProblem }) {
    this.onChange = onChange;
    this.onProblem = onProblem;
    byId('close-memory').addEventListener('click', () => this.#dialog.close());
  }

  // `shared`: of the tenant, for admins to decide about.
  async open(memory, { shared = false } = {}) {
    this.#memory = memory;
    this.shared = shared;
    this.#render([]);
    if (!this.#dialog.open) this.#dialog.showModal();
    try {
      const { changes } = await (shared ? api.sharedHistory : api.memoryHistory)(memory.id, CHANGES);
      if (this.#memory === memory && !this.#isEditing) this.#render(changes);
    } catch (error) {
      if (error.status !== 403) this.onProblem(error);
    }
  }

  #render(changes) {
    const memory = this.#memory;
    byId('memory-title').textContent = attribute(memory) || t(`kind_${memory.kind}`);
    this.#body.replaceChildren(
      ...[
        memory.value ? el('p', { class: 'details-value' }, memory.value) : null,
        el('blockquote', {}, memory.text),
        el('dl', {}, ...facts(memory).flatMap(([name, ...value]) => [el('dt', {}, name), el('dd', {}, ...value)])),
        this.#tools(),
        changes.length ? el('h3', {}, t('changes')) : null,
        changes.length ? el('ol', { class: 'changes' }, ...changes.map(change)) : null,
      ].filter(Boolean),
    );
  }

  get #isEditing() {
    return this.#body.querySelector('textarea') !== null;
  }

  #tools() {
    const memory = this.#memory;
    const button = (name, label, act, kind = '') =>
      el('button', { type: 'button', class: `button ${kind}`, onclick: () => act().catch((error) => this.#failed(error)) }, icon(name), label);
    const waits = memory.status === 'quarantined' || memory.status === 'proposed';
    const tools = [];
    if (waits || (this.shared && memory.status === 'rejected')) tools.push(button('check', t('approve'), () => this.#decide(true), 'primary'));
    if (waits || (this.shared && memory.status === 'approved')) tools.push(button('close', t('reject'), () => this.#decide(false)));
    if (!this.shared) tools.push(button('pen', t('edit'), async () => this.#edit()), button('undo', t('undo'), () => this.#undo()), button('pin', t(memory.pinned ? 'unpin' : 'pin'), () => this.#change({ pinned: !memory.pinned })));
    tools.push(button('bin', t('delete'), () => this.#remove()));
    return el('div', { class: 'tools' }, ...tools, this.shared || waits ? '' : this.#term());
  }

  // For how long it is kept, from now on.
  #term() {
    const { expires_at } = this.#memory;
    const kept = expires_at ? [['', t('untilDay', { day: day(expires_at) })], ['0', t('forEver')]] : [['', t('forEver')]];
    const choice = el('select', { 'aria-label': t('keepFor') }, ...options([...kept, ...TERMS.map((days) => [String(days * DAY), t('days', { n: days })])]));
    choice.addEventListener('change', () => this.#change({ ttl: Number(choice.value) }).catch((error) => this.#failed(error)));
    return el('label', { class: 'term' }, t('keepFor'), choice);
  }

  async #change(changes) {
    await this.#done(await api.changeMemory(this.#memory.id, changes));
  }

  #edit() {
    const field = el('textarea', { rows: 4, maxlength: 8000, 'aria-label': t('edit') });
    field.value = this.#memory.text;
    const save = async () => {
      if (!field.value.trim() || field.value === this.#memory.text) return this.#render([]);
      await this.#change({ text: field.value });
    };
    const cancel = el('button', { type: 'button', class: 'button', onclick: () => this.open(this.#memory) }, t('cancel'));
    const keep = el('button', { type: 'button', class: 'button primary', onclick: () => save().catch((error) => this.#failed(error)) }, t('save'));
    this.#body.replaceChildren(field, el('div', { class: 'choices' }, cancel, keep));
    field.focus();
  }

  async #decide(isApproved) {
    const decide = this.shared ? api.reviewShared : api.reviewMemory;
    await this.#done(await decide(this.#memory.id, isApproved));
  }

  async #undo() {
    const id = this.#memory.id;
    await api.undoMemory(id);
    const memory = await api.memoryOf(id).catch((error) => (error.status === 404 ? null : Promise.reject(error)));
    await this.#done(memory);
  }

  async #remove() {
    if (!(await confirmed(t('deleteMemory'), this.#memory.text, t('delete')))) return;
    await (this.shared ? api.deleteShared : api.deleteMemory)(this.#memory.id);
    await this.#done(null);
  }

  async #done(memory) {
    if (memory) await this.open(memory, { shared: this.shared });
    else this.#dialog.close();
    this.onChange();
  }

  #failed(error) {
    this.#dialog.close();
    this.onProblem(error.status === 409 ? new api.ApiError(409, t('undoLater'), api.AS_IT_IS) : error);
  }
}

function facts(memory) {
  const since = memory.valid_from ?? memory.created_at;
  const found = [[t('since'), el('time', { datetime: since }, moment(since))]];
  if (memory.valid_until) found.push([t('until'), el('time', { datetime: memory.valid_until }, moment(memory.valid_until))]);
  if (memory.ending) found.push([t('ended'), t('endings')[memory.ending.reason] ?? memory.ending.reason]);
  if (memory.expires_at) found.push([t('expires'), moment(memory.expires_at)]);
  if (memory.pinned) found.push([t('pinned'), t('pinnedWhy')]);
  found.push([t('from'), source(memory)]);
  if (memory.status !== 'approved') found.push([t('status'), t(`status_${memory.status}`)]);
  if (memory.status !== 'approved' && memory.review?.reason) found.push([t('why'), whyItWaits(memory)]);
  return found;
}

function source(memory) {
  if (memory.shared) return memory.source.by ?? t('sourceHand');
  if (!memory.source.thread) return t('sourceHand');
  return el('a', { href: sourceHash(memory), onclick: () => byId('memory-dialog').close() }, t('seeSource'));
}

// The gate's reasons are English sentences of a known few; an admin's reason is shown as it was written.
export function whyItWaits(memory) {
  const reason = memory.review?.reason ?? '';
  const [, author] = /^said by a (\w+), not by the user$/.exec(reason) ?? [];
  if (author) return t('waitsSaidBy', { author: t('authors')[author] ?? author });
  if (reason.startsWith('reads like an order')) return t('waitsOrder');
  return reason.startsWith('would end what') ? t('waitsEnds') : reason;
}

function change({ at, action, entries, undone }) {
  const [{ before, after }] = entries;
  const was = before && after && before.text !== after.text ? el('del', {}, before.text) : null;
  const is = after && after.text !== before?.text ? el('ins', {}, after.text) : null;
  const label = t('actions')[action] ?? action;
  return el('li', {}, el('b', {}, undone ? `${label} (${t('undone')})` : label), ' ', el('time', { datetime: at }, `${day(at)}`), was, is);
}
