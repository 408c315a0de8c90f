// Light or dark: the system's, until the user chooses.

import { byId } from './dom.js';

const KEY = 'recuerdo.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

const current = () => document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');

export function startTheme() {
  const kept = localStorage.getItem(KEY);
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
  byId('theme').addEventListener('click', () => {
    const other = current() === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = other;
    localStorage.setItem(KEY, other);
  });
}
