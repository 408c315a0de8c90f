// What is deleted: erasures as they go on, and what a retention policy would delete, before it does.

import * as api from './api.js';
import { el } from './dom.js';
import { counted, moment, number, t } from './language.js';

const MOST = 50;
const BETWEEN_LOOKS = 3000;

export class Deletions {
  constructor(body, { onProblem }) {
    this.body = body;
    this.onProblem = onProblem;
  }

  async open() {
    this.policy = el('input', { type: 'text', maxlength: 1000, placeholder: 'threads=365d, episodic=90d', 'aria-label': t('retentionPolicy') });
    this.result = el('p', { id: 'retention-result', class: 'hint', role: 'status' });
    this.list = el('ul', { id: 'erasures', class: 'entries', 'aria-label': t('erasures') });
    const form = el('form', { class: 'card', autocomplete: 'off' }, el('h2', {}, t('retention')), el('p', { class: 'hint' }, t('retentionWhy')), el('div', { class: 'new-form' }, this.policy, el('button', { class: 'button' }, t('countOnly'))), this.result);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#count().catch((error) => this.#refused(error));
    });
    this.body.replaceChildren(form, el('section', { class: 'card' }, el('h2', {}, t('erasures')), this.list));
    await this.#look();
  }

  async #count() {
    this.result.textContent = t('counting');
    const found = await api.forecastRetention(this.policy.value.trim() || null);
    if (!found.policy) return (this.result.textContent = t('noRetention'));
    const what = [counted('nThreads', found.threads), counted('nMessages', found.messages), counted('nMemories', found.memories), counted('nCheckpoints', found.checkpoints)];
    this.result.textContent = t(found.complete ? 'wouldDelete' : 'wouldDeleteMore', { policy: found.policy, what: what.join(', ') });
  }

  #refused(error) {
    this.result.textContent = '';
    this.onProblem(error);
  }

  // Again as long as one is under way and looked at.
  async #look() {
    const { erasures } = await api.erasures(MOST);
    this.list.replaceChildren(...(erasures.length ? erasures.map(job) : [el('li', { class: 'hint' }, t('noErasures'))]));
    if (erasures.every(({ status }) => status === 'done')) return;
    setTimeout(() => this.list.isConnected && this.#look().catch(this.onProblem), BETWEEN_LOOKS);
  }
}

function job({ id, status, asked_at, users, removed, complete, places }) {
  const counts = Object.entries(removed).filter(([, n]) => n).map(([name, n]) => `${t('places')[name] ?? name}: ${number(n)}`);
  const state = status === 'done' && !complete ? t('erasedNot') : t('jobStates')[status];
  const checked = places.length ? `${places.filter(({ clean }) => clean).length}/${places.length} ✓` : '';
  return el(
    'li',
    {},
    el('div', {}, el('b', { class: 'attribute' }, state), ' ', el('time', { datetime: asked_at }, moment(asked_at)), el('small', {}, [counted('nUsers', users), ...counts, checked, id].filter(Boolean).join(' · '))),
    status === 'done' ? '' : el('progress', { 'aria-label': t('jobStates')[status] }),
  );
}
