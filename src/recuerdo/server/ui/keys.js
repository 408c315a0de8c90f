// The API keys of the tenant: made, rotated and revoked. A secret is shown once.

import * as api from './api.js';
import { confirmed, el, icon, options } from './dom.js';
import { ago, day, t } from './language.js';

const MOST = 100;
const ROLES = ['user', 'editor', 'admin'];

export class Keys {
  constructor(body, { onProblem }) {
    this.body = body;
    this.onProblem = onProblem;
  }

  async open(areOn) {
    if (!areOn) return this.body.replaceChildren(el('p', { class: 'hint' }, t('noKeys')));
    this.secret = el('div', { id: 'new-secret', role: 'status' });
    this.list = el('ul', { class: 'entries', 'aria-label': t('tabKeys') });
    this.body.replaceChildren(this.#form(), this.secret, this.list);
    await this.#load();
  }

  async #load() {
    const { keys } = await api.keys(MOST);
    this.list.replaceChildren(...keys.map((key) => this.#entry(key)));
  }

  #form() {
    const field = (name, label, more = {}) => el('input', { type: 'text', name, placeholder: label, 'aria-label': label, maxlength: 255, ...more });
    const form = el(
      'form',
      { class: 'card new-form', autocomplete: 'off' },
      field('user', t('keyUser'), { required: true }),
      field('name', t('keyName')),
      el('select', { name: 'role', 'aria-label': t('role') }, ...options(ROLES.map((role) => [role, role]))),
      el('select', { name: 'ttl', 'aria-label': t('keyTime') }, ...options([['', t('noEnd')], ['2592000', t('days', { n: 30 })], ['7776000', t('days', { n: 90 })], ['31536000', t('days', { n: 365 })]])),
      el('button', { class: 'button primary' }, t('makeKey')),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const { user, name, role, ttl } = Object.fromEntries(new FormData(form));
      this.#made(api.makeKey({ user, name, role, ttl: ttl ? Number(ttl) : null })).then(() => form.reset(), this.onProblem);
    });
    return form;
  }

  async #made(asked) {
    const { secret } = await asked;
    const copy = navigator.clipboard ? el('button', { type: 'button', class: 'button', onclick: () => navigator.clipboard.writeText(secret).then(() => copy.replaceChildren(icon('check'))) }, t('copy')) : null;
    this.secret.replaceChildren(el('div', { class: 'card' }, el('p', { class: 'hint' }, t('secretOnce')), el('code', {}, secret), copy ?? ''));
    await this.#load();
  }

  #entry(key) {
    const act = (label, question, what) =>
      el('button', { type: 'button', class: 'button', 'aria-label': `${label}: ${key.name || key.id}`, onclick: async () => {
        if (!(await confirmed(question, key.name || key.id, label))) return;
        await what().catch(this.onProblem);
      } }, label);
    const isGood = key.state === 'good';
    const used = key.last_used_at ? t('usedAgo', { when: ago(key.last_used_at) }) : t('neverUsed');
    return el(
      'li',
      {},
      el('div', {}, el('b', {}, key.name || key.id), ' ', el('b', { class: 'attribute' }, key.role), el('small', {}, `${key.user} · ${t('keyStates')[key.state]} · ${used}${key.expires_at ? ` · ${t('untilDay', { day: day(key.expires_at) })}` : ''}`)),
      isGood && !key.replaced_by ? act(t('rotate'), t('rotateQuestion'), () => this.#made(api.rotateKey(key.id))) : '',
      isGood ? act(t('revoke'), t('revokeQuestion'), () => api.revokeKey(key.id).then(() => this.#load())) : '',
    );
  }
}
