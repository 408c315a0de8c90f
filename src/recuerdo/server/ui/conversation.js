// The conversation: messages that are stored, and the turn that is under way.

import * as api from './api.js';
import { byId, el, icon } from './dom.js';
import { moment, t } from './language.js';

const NEAR_THE_END = 80;

export const textOf = (message) =>
  typeof message.content === 'string'
    ? message.content
    : message.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');

export class Conversation {
  #log = byId('log');
  #scroller = byId('scroller');
  #older = byId('older');
  #thread = null;
  #before = null;

  version = null; // of what is shown

  constructor({ onProblem, onMemories }) {
    this.onMemories = onMemories;
    this.#older.addEventListener('click', () => this.#loadOlder().catch(onProblem));
  }

  // Somebody may still want to try again what is shown.
  get hasFailed() {
    return this.#log.querySelector('.failure') !== null;
  }

  clear() {
    this.#thread = null;
    this.version = null;
    this.#log.replaceChildren();
    this.#older.hidden = true;
  }

  show(thread, page) {
    this.#thread = thread;
    this.version = page.version;
    this.#log.replaceChildren(...page.messages.map((message) => this.#stored(message)));
    this.#remember(page);
    this.scrollToEnd();
  }

  // A turn that was sent: its parts fill in as the server tells.
  begin(text) {
    const said = bubble('user', t('you'), text);
    const turn = new Turn(this, said);
    this.#log.append(said, turn.element);
    this.scrollToEnd();
    return turn;
  }

  get isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_THE_END;
  }

  scrollToEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #remember(page) {
    this.#before = page.before;
    this.#older.hidden = !page.more;
  }

  async #loadOlder() {
    const page = await api.messages(this.#thread, this.#before);
    const height = this.#scroller.scrollHeight;
    this.#log.prepend(...page.messages.map((message) => this.#stored(message)));
    this.#scroller.scrollTop += this.#scroller.scrollHeight - height;
    this.#remember(page);
  }

  #stored(message) {
    const element = bubble(message.role, t(message.role === 'user' ? 'you' : message.role), textOf(message), message.created_at);
    if (message.metadata?.incomplete) element.append(note(t('incomplete')));
    if (message.metadata?.history) element.append(note(t('noHistory')));
    return element;
  }
}

class Turn {
  #text = el('div', { class: 'text' });
  #waiting = el('div', { class: 'thinking' }, el('span', { class: 'visually-hidden' }, t('thinking')), el('i'), el('i'), el('i'));
  #conversation;
  #said;

  constructor(conversation, said) {
    this.#conversation = conversation;
    this.#said = said;
    this.element = el('article', { class: 'message assistant', 'aria-busy': 'true' }, speaker('assistant', t('assistant')), this.#waiting, this.#text);
  }

  add(text) {
    this.#keepingEnd(() => {
      this.#waiting.remove();
      this.#text.append(text);
    });
  }

  finish(answer) {
    this.#keepingEnd(() => {
      this.#settle();
      this.#text.textContent = textOf(answer.reply);
      this.#footnotes(answer);
      if (answer.history !== 'ok') this.element.append(note(t('noHistory')));
    });
  }

  // What the user has asked to forget comes back at once, as it went.
  forgot(memories, onUndo) {
    const what = memories.map((memory) => memory.value || memory.text).join(', ');
    const undo = el('button', { type: 'button', class: 'chip forgotten', onclick: () => { undo.remove(); onUndo(); } }, icon('undo'), el('span', {}, t('forgotten', { what })));
    this.#keepingEnd(() => this.element.append(el('div', { class: 'chips' }, undo)));
  }

  stop() {
    this.#settle();
    this.element.append(note(t('stopped')));
  }

  fail(reason, onRetry) {
    this.#keepingEnd(() => {
      this.#settle();
      const retry = el('button', { type: 'button', class: 'button', onclick: onRetry }, t('retry'));
      this.element.append(el('div', { class: 'failure', role: 'alert' }, el('span', {}, t('notSent', { reason })), retry));
    });
  }

  // It is sent again, and begins anew.
  withdraw() {
    this.#said.remove();
    this.element.remove();
  }

  #settle() {
    this.#waiting.remove();
    this.element.setAttribute('aria-busy', 'false');
  }

  #footnotes(answer) {
    const chips = [];
    const used = answer.memories_used.length;
    const chip = (kind, name, text) =>
      el('button', { type: 'button', class: `chip ${kind}`, onclick: () => this.#conversation.onMemories() }, icon(name), el('span', {}, text));
    if (used) chips.push(chip('used', 'memory', t('used', { n: used })));
    for (const memory of answer.memories_saved) chips.push(chip('learnt', 'spark', t('learnt', { what: memory.value || memory.text })));
    if (chips.length) this.element.append(el('div', { class: 'chips' }, ...chips));
  }

  #keepingEnd(change) {
    const follow = this.#conversation.isAtEnd;
    change();
    if (follow) this.#conversation.scrollToEnd();
  }
}

function bubble(role, name, text, time) {
  const kind = role === 'user' || role === 'assistant' ? role : 'aside';
  return el(
    'article',
    { class: `message ${kind}`, title: time ? moment(time) : null },
    speaker(role, name),
    el('div', { class: 'text' }, text),
  );
}

const speaker = (role, name) => el('div', { class: role === 'user' ? 'speaker visually-hidden' : 'speaker' }, role === 'assistant' ? icon('logo') : null, name);

const note = (text) => el('p', { class: 'note' }, text);
