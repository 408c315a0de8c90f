// Who did what, the latest first.

import * as api from './api.js';
import { el, options } from './dom.js';
import { moment, t } from './language.js';

const PAGE = 80;
const ACTIONS = ['user.erased', 'tenant.erased', 'key.created', 'key.rotated', 'key.revoked', 'memory.approved', 'memory.rejected', 'memories.exported', 'role.refused', 'authentication.failed', 'user.read', 'audit.read', 'user.signed_in', 'user.signed_out', 'visitor.claimed', 'audit.lost'];

export class AuditLog {
  constructor(body, { onProblem }) {
    this.body = body;
    this.onProblem = onProblem;
  }

  async open() {
    const again = () => this.#load(null).catch(this.onProblem);
    this.action = el('select', { id: 'audit-action', 'aria-label': t('action'), onchange: again }, ...options([['', t('anyAction')], ...ACTIONS.map((one) => [one, one])]));
    this.actor = el('input', { type: 'text', placeholder: t('actor'), 'aria-label': t('actor'), maxlength: 255, onchange: again });
    this.server = el('input', { type: 'checkbox', onchange: again });
    this.list = el('ul', { class: 'entries', id: 'audit-entries', 'aria-label': t('tabAudit') });
    this.more = el('button', { type: 'button', class: 'link', onclick: () => this.#load(this.next).catch(this.onProblem) }, t('older'));
    this.body.replaceChildren(
      el('div', { class: 'tools' }, this.action, this.actor, el('label', {}, this.server, t('ofServer'))),
      this.list,
      this.more,
    );
    await this.#load(null);
  }

  async #load(before) {
    const { entries, next } = await api.audit({ limit: PAGE, before, action: this.action.value || null, actor: this.actor.value.trim() || null, server: this.server.checked || null });
    this.next = next;
    this.more.hidden = next === null;
    this.list.replaceChildren(...(entries.length ? entries.map(line) : [el('li', { class: 'hint' }, t('nothingHere'))]));
    this.body.scrollTop = 0;
  }
}

function line({ at, actor, action, role, target, details = {} }) {
  const more = [target, ...Object.entries(details).map(([name, value]) => `${name}: ${value}`)].filter(Boolean).join(' · ');
  return el('li', {}, el('div', {}, el('b', { class: 'attribute' }, action), ' ', el('b', {}, actor || '–'), role ? ` (${role})` : '', el('small', {}, `${moment(at)}${more ? ` · ${more}` : ''}`)));
}
