// The first minute: something is said, what became of it is shown, and at the end the server is stopped and started again.

import * as api from './api.js';
import { byId, el } from './dom.js';
import { t } from './language.js';

const KEY = 'recuerdo.toured';
const BETWEEN_LOOKS = 1000;
const STEPS = ['tell', 'seen', 'known', 'rewind', 'restart'];

// What each step is about: the first of these that is in view.
const ABOUT = {
  tell: ['#composer'],
  seen: ['#memory .panel:first-child', '.opens-memory'],
  known: ['#memory .panel:last-child', '.opens-memory'],
  rewind: ['.pages a[href="#/memories"]', '.opens-threads'],
  restart: [],
};

export class Tour {
  #card = byId('tour');
  #step = null;
  #looking = null;

  // `onAsk` puts a question where messages are written; `canRestart` says whether the server is the user's own.
  constructor({ onAsk, onBack, canRestart }) {
    this.onAsk = onAsk;
    this.onBack = onBack;
    this.canRestart = canRestart;
    byId('tour-offer').addEventListener('click', () => this.#show(0));
  }

  // It is offered until it was seen, or refused.
  offer(isFor) {
    byId('tour-offer').hidden = !isFor || this.#step !== null || localStorage.getItem(KEY) !== null;
  }

  // Something was said and answered.
  answered() {
    if (STEPS[this.#step] === 'tell') this.#show(1);
  }

  translate() {
    if (this.#step !== null) this.#draw(this.#words());
  }

  #show(step) {
    byId('tour-offer').hidden = true;
    this.#step = step;
    this.#draw(this.#words());
    if (STEPS[step] === 'restart' && this.canRestart()) this.#watch(step);
  }

  #words() {
    const name = STEPS[this.#step];
    return t('tour')[name === 'restart' && !this.canRestart() ? 'comeBack' : name];
  }

  #draw([title, text]) {
    const isLast = this.#step === STEPS.length - 1;
    const onward = isLast ? () => this.#end() : () => this.#show(this.#step + 1);
    this.#card.replaceChildren(
      el('p', { class: 'tour-text' }, el('b', {}, title), ' ', text),
      el('small', { class: 'hint' }, `${this.#step + 1}/${STEPS.length}`),
      isLast ? '' : el('button', { type: 'button', class: 'link', onclick: () => this.#end() }, t('tour').leave),
      el('button', { type: 'button', class: 'button primary', onclick: onward }, t('tour')[isLast ? 'done' : 'next']),
    );
    this.#card.hidden = false;
    this.#mark(ABOUT[STEPS[this.#step]]);
  }

  #mark(selectors) {
    document.querySelector('.toured')?.classList.remove('toured');
    const inView = (one) => one && !one.closest('[inert]') && one.checkVisibility({ visibilityProperty: true });
    selectors.map((one) => document.querySelector(one)).find(inView)?.classList.add('toured');
  }

  // Until the server has been away and is there again.
  async #watch(step) {
    let wasAway = false;
    for (;;) {
      await new Promise((resolve) => (this.#looking = setTimeout(resolve, BETWEEN_LOOKS)));
      if (this.#step !== step) return;
      const isThere = await api.alive().catch(() => false);
      if (this.#step !== step) return;
      if (!isThere && !wasAway) this.#draw(t('tour').away);
      wasAway ||= !isThere;
      if (isThere && wasAway) return this.#back();
    }
  }

  #back() {
    this.onBack();
    this.#draw(t('tour').back);
    const ask = el('button', { type: 'button', class: 'button primary', onclick: () => this.#end() || this.onAsk() }, t('tour').ask);
    this.#card.lastElementChild.replaceWith(ask);
  }

  #end() {
    clearTimeout(this.#looking);
    localStorage.setItem(KEY, 'yes');
    this.#step = null;
    this.#card.hidden = true;
    this.#mark([]);
  }
}
