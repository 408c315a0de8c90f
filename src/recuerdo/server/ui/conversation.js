// The conversation: messages that are stored, and the turn that is under way.

import * as api from './api.js';
import { byId, el, icon, iconButton } from './dom.js';
import { imageOf, picture } from './images.js';
import { counted, moment, t } from './language.js';
import { markdown } from './markdown.js';
import { threadHash } from './threads.js';

const TRY_AGAIN = 3_000; // milliseconds after messages could not be read
const NEAR_THE_END = 80;
const MOST = 40; // stored messages that are elements at the same time; the others are loaded again
const REDRAW = 60; // milliseconds: pieces of an answer that come faster are drawn together

export const textOf = (message) =>
  typeof message.content === 'string'
    ? message.content
    : message.content.map((part) => (part.type === 'text' ? part.text : imageOf(part) ? `[${t('image')}]` : `[${part.type}]`)).join('\n');

// Of a message whose images are shown: the rest of it.
const withoutImages = (message) => (typeof message.content === 'string' ? message : { ...message, content: message.content.filter((part) => !imageOf(part)) });

const picturesOf = (message) => (typeof message.content === 'string' ? [] : message.content.map(imageOf).filter(Boolean).map(picture));

export class Conversation {
  #log = byId('log');
  #scroller = byId('scroller');
  #older = byId('older');
  #later = byId('later');
  #thread = null;
  #before = null;
  #after = null;
  #loading = false;
  #judged = null; // what was thought of replies, where that can be kept
  #contents = new Map(); // of the user's messages, by seq

  version = null; // of what is shown

  canBranch = true; // the history of a graph's thread is not all of its state

  constructor({ onProblem, onMemories, onWhy, onBranch, titleOf, agentOf }) {
    this.titleOf = titleOf;
    this.agentOf = agentOf;
    this.onMemories = onMemories;
    this.onBranch = onBranch;
    this.onWhy = onWhy;
    const buttons = [this.#older, this.#later];
    const load = { older: () => this.#loadOlder(), later: () => this.#loadLater() };
    const once = async (which) => {
      if (this.#loading) return;
      this.#loading = true;
      try {
        await load[which]();
        watch();
      } catch (error) {
        onProblem(error);
        setTimeout(watch, TRY_AGAIN);
      } finally {
        this.#loading = false;
      }
    };
    const watch = () => {
      for (const button of buttons) seen.unobserve(button);
      for (const button of buttons) seen.observe(button); // one that is still in view is told of again
    };
    // A button is for the keyboard; who scrolls to it needs not press it.
    const reach = ({ isIntersecting, target }) => isIntersecting && this.#scroller.scrollHeight > this.#scroller.clientHeight && once(target.id);
    const seen = new IntersectionObserver((entries) => entries.forEach(reach), { root: this.#scroller });
    for (const button of buttons) {
      button.addEventListener('click', () => once(button.id));
      seen.observe(button);
    }
  }

  // Somebody may still want to try again what is shown.
  get hasFailed() {
    return this.#log.querySelector('.failure:not(.unanswered)') !== null;
  }

  // Whether messages behind those that are shown are not.
  get isBehind() {
    return !this.#later.hidden;
  }

  clear() {
    this.#contents.clear();
    this.#thread = null;
    this.version = null;
    this.#log.replaceChildren();
    this.#older.hidden = this.#later.hidden = true;
  }

  show(thread, page) {
    this.#contents.clear();
    this.#judged = null;
    this.#thread = thread;
    this.version = page.version;
    this.#log.replaceChildren(...page.messages.map((message) => this.#stored(message)));
    this.#remember(page);
    this.#goOn(page);
    this.scrollToEnd();
  }

  // Bring a message into view, and mark in it the words that a memory was made of.
  point(seq, memory) {
    const element = this.#log.querySelector(`[data-seq="${seq}"]`);
    if (!element) return;
    this.#log.querySelector('.pointed')?.classList.remove('pointed');
    element.classList.add('pointed');
    element.tabIndex = -1;
    if (memory && element.classList.contains('user')) mark(element.querySelector('.text'), [memory.text, memory.value]);
    element.scrollIntoView({ block: 'center' });
    element.focus({ preventScroll: true });
  }

  // The last message has no whole reply: it can be sent again.
  unanswered(onRetry) {
    const retry = el('button', { type: 'button', class: 'button', onclick: () => onRetry() }, t('retry'));
    this.#log.append(el('div', { class: 'failure unanswered' }, el('span', {}, t('unanswered')), retry));
    this.scrollToEnd();
  }

  // What is sent again begins anew.
  withdrawFrom(seq) {
    for (const element of this.#log.querySelectorAll('[data-seq]')) if (Number(element.dataset.seq) >= seq) element.remove();
    this.#log.querySelector('.unanswered')?.remove();
  }

  // A turn that was sent: its parts fill in as the server tells.
  begin(content) {
    const said = bubble('user', t('you'), { content });
    const turn = new Turn(this, said);
    this.#log.append(said, turn.element);
    this.scrollToEnd();
    return turn;
  }

  // What was thought of the replies that are shown, with buttons to say it.
  judge(ratings, feedback) {
    this.#judged = { ratings, feedback };
    for (const element of this.#log.querySelectorAll('.message.assistant[data-seq]')) this.#judge(element);
  }

  #judge(element) {
    if (!this.#judged || !element.matches('.assistant[data-seq]')) return;
    const { ratings, feedback } = this.#judged;
    element.querySelector('.feedback')?.remove();
    element.querySelector('.reply-tools')?.append(thumbs(seqOf(element), ratings.get(seqOf(element)) ?? 0, feedback));
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

  // What can be done with a message that is stored.
  tools(element, message) {
    if (message.seq) element.dataset.seq = message.seq;
    const canBranch = this.canBranch && message.seq;
    if (message.role === 'user' && canBranch) {
      this.#contents.set(message.seq, message.content);
      const edit = iconButton('pen', t('editBranch'), () => this.onBranch(message.seq, textOf(withoutImages(message))));
      element.append(el('div', { class: 'reply-tools' }, edit));
    }
    if (message.role !== 'assistant') return;
    const again = canBranch ? iconButton('again', t('again'), () => this.#again(message.seq)) : null;
    const copy = iconButton('copy', t('copy'), () => navigator.clipboard.writeText(textOf(message)).then(() => copy.replaceChildren(icon('check'))));
    const why = message.metadata?.prompt && message.seq ? el('button', { type: 'button', class: 'link why-button', onclick: () => this.onWhy(message.seq, message.metadata.assistant_id) }, t('why_')) : null;
    element.append(el('div', { class: 'reply-tools' }, navigator.clipboard ? copy : null, again, why)); // a page without TLS may not copy
  }

  // Another answer to what was said before the reply.
  #again(seq) {
    const said = [...this.#log.querySelectorAll('.message.user[data-seq]')].findLast((one) => Number(one.dataset.seq) < seq);
    if (said) this.onBranch(Number(said.dataset.seq), this.#contents.get(Number(said.dataset.seq)), { isSent: true });
  }

  #goOn(page) {
    this.#after = page.after;
    this.#later.hidden = !page.after || page.after >= Number(page.version.split('.')[1]);
  }

  async #loadLater() {
    const thread = this.#thread;
    const page = await api.messagesAfter(thread, this.#after);
    if (this.#thread !== thread) return;
    this.#log.append(...page.messages.map((message) => this.#stored(message)));
    this.#goOn({ ...page, after: page.more ? page.after : null });
    const height = this.#scroller.scrollHeight;
    const left = this.#trimmed((messages) => messages.slice(0, -MOST));
    this.#scroller.scrollTop += this.#scroller.scrollHeight - height;
    if (left) this.#remember({ before: seqOf(left.at(0)), more: true });
  }

  async #loadOlder() {
    const thread = this.#thread;
    const page = await api.messages(thread, this.#before);
    if (this.#thread !== thread) return;
    const height = this.#scroller.scrollHeight;
    this.#log.prepend(...page.messages.map((message) => this.#stored(message)));
    this.#scroller.scrollTop += this.#scroller.scrollHeight - height;
    this.#remember(page);
    const left = this.#trimmed((messages) => messages.slice(MOST));
    if (!left) return;
    this.#after = seqOf(left.at(-1));
    this.#later.hidden = false;
  }

  // Take away those that are too many, so that a long conversation is as light as a short one. Returns the others.
  #trimmed(choose) {
    const messages = [...this.#log.querySelectorAll('[data-seq]')];
    const away = choose(messages);
    for (const element of away) element.remove();
    return away.length ? messages.filter((one) => one.isConnected) : null;
  }

  // What a stored reply was made of and has changed, as its recipe tells: it names memories by their ids only.
  #footnotes(element, { seq, metadata }) {
    const { memories, saved = [], waiting = [] } = metadata?.prompt ?? {};
    const chip = (kind, name, text) => el('button', { type: 'button', class: `chip ${kind}`, onclick: () => this.onWhy(seq, metadata.assistant_id) }, icon(name), el('span', {}, text));
    const chips = [
      memories?.length ? chip('used', 'memory', t('used', { n: memories.length })) : null,
      waiting.length ? chip('waits', 'eye', t('waits', { what: counted('nMemories', waiting.length) })) : null,
      saved.length ? chip('learnt', 'spark', t('learnt', { what: counted('nMemories', saved.length) })) : null,
      ...this.sources(metadata),
    ].filter(Boolean);
    if (chips.length) element.append(el('div', { class: 'chips' }, ...chips));
  }

  // Where what a reply is made of can be read: passages of documents, and those of other conversations, folded.
  sources(metadata) {
    const documents = (metadata?.sources ?? []).map(({ n, document, title, start }) => el('a', { class: 'chip source', href: `#/documents/${encodeURIComponent(document)}/${start}` }, icon('documents'), el('span', {}, `${n} · ${title}`)));
    const passages = metadata?.prompt?.passages ?? [];
    return passages.length ? [...documents, this.#passages(passages)] : documents;
  }

  // Their titles are asked for when somebody looks.
  #passages(places) {
    const chips = el('div', { class: 'chips' });
    const chip = async ([thread, seq]) => el('a', { class: 'chip source', href: `${threadHash(thread)}/${seq}` }, icon('threads'), el('span', {}, (await this.titleOf(thread)) ?? t('otherThread')));
    const fill = async () => chips.replaceChildren(...(await Promise.all(places.map(chip))));
    const folded = el('details', { class: 'sources' }, el('summary', { class: 'chip' }, icon('threads'), el('span', {}, t('passagesUsed', { n: places.length }))), chips);
    folded.addEventListener('toggle', fill, { once: true });
    return folded;
  }

  #stored(message) {
    const element = bubble(message.role, this.agentOf(message.metadata?.assistant_id) ?? t(message.role === 'user' ? 'you' : message.role), message);
    if (message.role === 'tool') fold(element, message.name ?? t('tool'));
    for (const call of message.tool_calls ?? []) element.append(toolCall(call));
    this.#footnotes(element, message);
    this.tools(element, message);
    if (message.metadata?.incomplete) element.append(note(t('incomplete')));
    if (message.metadata?.history) element.append(note(t('noHistory')));
    this.#judge(element);
    return element;
  }
}

class Turn {
  #text = el('div', { class: 'text markdown' });
  #pieces = '';
  #drawing = null;
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
      this.#pieces += text;
      this.#drawing ??= setTimeout(() => this.#draw(), REDRAW);
    });
  }

  finish(answer) {
    this.#keepingEnd(() => {
      this.#pieces = textOf(answer.reply);
      this.#settle();
      this.#footnotes(answer);
      const agent = this.#conversation.agentOf(answer.reply.metadata?.assistant_id);
      if (agent) this.element.querySelector('.speaker').lastChild.textContent = agent;
      this.#conversation.tools(this.element, answer.reply);
      if (answer.message) this.#conversation.tools(this.#said, answer.message);
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
    this.#keepingEnd(() => {
      this.#settle();
      this.element.append(note(t('stopped')));
    });
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

  #draw() {
    this.#keepingEnd(() => this.#text.replaceChildren(markdown(this.#pieces)));
    this.#drawing = null;
  }

  #settle() {
    clearTimeout(this.#drawing);
    this.#draw();
    this.#waiting.remove();
    this.element.setAttribute('aria-busy', 'false');
  }

  #footnotes(answer) {
    const chips = [];
    const used = answer.memories_used.length;
    const chip = (kind, name, text) =>
      el('button', { type: 'button', class: `chip ${kind}`, onclick: () => this.#conversation.onMemories() }, icon(name), el('span', {}, text));
    if (used) chips.push(chip('used', 'memory', t('used', { n: used })));
    for (const memory of answer.memories_waiting ?? []) chips.push(chip('waits', 'eye', t('waits', { what: memory.text })));
    for (const memory of answer.memories_saved) chips.push(chip('learnt', 'spark', t('learnt', { what: memory.value || memory.text })));
    chips.push(...this.#conversation.sources(answer.reply.metadata));
    if (chips.length) this.element.append(el('div', { class: 'chips' }, ...chips));
  }

  #keepingEnd(change) {
    const follow = this.#conversation.isAtEnd;
    change();
    if (follow) this.#conversation.scrollToEnd();
  }
}

function bubble(role, name, message) {
  const [text, time] = [textOf(withoutImages(message)), message.created_at];
  const kind = role === 'user' || role === 'assistant' ? role : 'aside';
  return el(
    'article',
    { class: `message ${kind}`, title: time ? moment(time) : null },
    speaker(role, name),
    kind === 'assistant' ? el('div', { class: 'text markdown' }, markdown(text)) : el('div', { class: 'text' }, text, ...picturesOf(message)),
  );
}

// What tools return is there for those who open it.
function fold(element, name) {
  const text = element.querySelector('.text');
  const folded = el('details', { class: 'folded' }, el('summary', {}, name));
  text.replaceWith(folded);
  folded.append(text);
}

function toolCall({ name, args = {} }) {
  const text = JSON.stringify(args, null, 2);
  return el('details', { class: 'folded' }, el('summary', {}, t('calls', { name })), el('div', { class: 'text' }, text));
}

// The first of the texts that the element holds, as a mark; texts stay text.
function mark(element, texts) {
  const said = element.textContent;
  const found = texts.find((text) => text && said.toLowerCase().includes(text.toLowerCase()));
  if (!found) return;
  const at = said.toLowerCase().indexOf(found.toLowerCase());
  element.replaceChildren(said.slice(0, at), el('mark', {}, said.slice(at, at + found.length)), said.slice(at + found.length));
}

const speaker = (role, name) => el('div', { class: role === 'user' ? 'speaker visually-hidden' : 'speaker' }, role === 'assistant' ? icon('logo') : null, name);

// Two buttons, of which one at most is pressed.
function thumbs(seq, rating, feedback) {
  const choose = async (wanted) => {
    const now = rating === wanted ? 0 : wanted;
    await feedback.rate(seq, now);
    group.replaceWith(thumbs(seq, now, feedback));
  };
  const button = (name, label, value) => {
    const one = iconButton(name, label, () => choose(value));
    one.setAttribute('aria-pressed', String(rating === value));
    return one;
  };
  const group = el('span', { class: 'feedback' }, button('up', t('goodReply'), 1), button('down', t('badReply'), -1));
  return group;
}

const note = (text) => el('p', { class: 'note' }, text);

const seqOf = (element) => Number(element.dataset.seq);
