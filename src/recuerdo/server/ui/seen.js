// "What the model sees": the window and the memories of the last turn, or the window of the next.

import { byId, el } from './dom.js';
import { textOf } from './conversation.js';
import { moment, t } from './language.js';
import { sourceHash, threadHash } from './threads.js';

const LONGEST = 280;

export class Seen {
  #body = byId('seen');
  #note = byId('seen-note');
  #count = byId('seen-count');

  // What was shown with the last message: the stream's `metadata`.
  showTurn(start) {
    const memories = start.memories_used.map((memory) => entry('recalled', attribute(memory), dated(memory), memory.source.thread ? sourceHash(memory) : null));
    const passages = start.passages ?? [];
    this.#render(t('seenLast'), start.window.length + memories.length + passages.length + 1, [
      group(t('seenMemories'), memories.length ? memories : [el('p', { class: 'hint' }, t('seenNoMemories'))]),
      passages.length ? group(t('seenPassages'), passages.map((hit) => said(hit.message, `${threadHash(hit.thread_id)}/${hit.seq}`))) : null,
      start.window.length ? group(t('seenHistory'), start.window.map((message) => said(message))) : null,
      group(t('seenMessage'), [said(start.message)]),
    ]);
    this.#body.scrollTop = 0;
  }

  // What the next message will be shown with.
  showWindow(messages) {
    const note = messages.length ? t('seenNext') : t('seenNothing');
    this.#render(note, messages.length, [messages.length ? group(t('seenHistory'), messages.map((message) => said(message))) : null]);
    this.#body.scrollTop = this.#body.scrollHeight;
  }

  #render(note, count, groups) {
    this.#note.textContent = note;
    this.#count.textContent = count || '';
    this.#body.replaceChildren(...groups.filter(Boolean));
  }
}

export const attribute = (memory) => (memory.attribute ? t('attributes')[memory.attribute] : '');

// A memory that held before says until when.
const dated = ({ text, valid_until }) => (valid_until ? `${text} (→ ${moment(valid_until)})` : text);

const group = (title, entries) => el('section', { class: 'seen-group' }, el('h3', {}, title), ...entries);

const said = (message, href) => entry(message.role, t(message.role === 'user' ? 'you' : message.role), textOf(message), href);

// `href`: where it was said.
function entry(kind, label, text, href = null) {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
  return el(href ? 'a' : 'div', { class: `seen-entry ${kind}`, href }, label ? el('b', {}, label) : null, el('span', {}, shown));
}
