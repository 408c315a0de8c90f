// The keys that work everywhere on the page, and the list of them that the finder shows before a word is typed.

import { el } from './dom.js';
import { t } from './language.js';

const KEYS = [['find', 'Ctrl K'], ['newThread', 'Ctrl Shift O'], ['keyWrite', '/'], ['keyStop', 'Esc'], ['keyHelp', '?']];

export function startShortcuts({ onNew, onWrite, onStop, onHelp }) {
  document.addEventListener('keydown', (event) => {
    if (document.querySelector('dialog[open]') || event.isComposing) return;
    const act = actOf(event, { onNew, onWrite, onStop, onHelp });
    if (act?.() !== false && act) event.preventDefault();
  });
}

function actOf(event, { onNew, onWrite, onStop, onHelp }) {
  const isWriting = event.target.closest?.('input, textarea, select') ?? false;
  if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'o') return onNew;
  if (event.key === 'Escape') return onStop;
  if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return null;
  return { '/': onWrite, '?': onHelp }[event.key];
}

export function shortcuts() {
  const line = ([what, keys]) => el('div', {}, el('dt', {}, t(what)), el('dd', {}, ...keys.split(' ').map((key) => el('kbd', {}, key))));
  return [el('h3', {}, t('shortcuts')), el('dl', { class: 'shortcuts' }, ...KEYS.map(line))];
}
