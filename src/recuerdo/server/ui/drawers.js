// On narrow screens the side panels are drawers: one at a time, closed by Escape, the scrim or their button.

import { byId } from './dom.js';

const SIDES = { threads: matchMedia('(max-width: 859px)'), memory: matchMedia('(max-width: 1199px)') };

let opener = null;

export function closeDrawers() {
  if (!document.body.dataset.drawer) return;
  delete document.body.dataset.drawer;
  settle();
  opener?.focus();
  opener = null;
}

export function openDrawer(name) {
  if (!SIDES[name].matches) return byId(name).querySelector('.panel-body')?.focus();
  opener = document.activeElement;
  document.body.dataset.drawer = name;
  settle();
  byId(name).querySelector('.close').focus();
}

// A drawer that is not open can't be reached by keyboard or by a screen reader.
function settle() {
  const open = document.body.dataset.drawer;
  for (const [name, narrow] of Object.entries(SIDES)) byId(name).inert = narrow.matches && open !== name;
  byId('scrim').hidden = !open;
  for (const button of document.querySelectorAll('[data-open]')) {
    button.setAttribute('aria-expanded', String(open === button.dataset.open));
  }
}

export function startDrawers() {
  for (const button of document.querySelectorAll('[data-open]')) {
    button.addEventListener('click', () => openDrawer(button.dataset.open));
  }
  for (const element of document.querySelectorAll('[data-close]')) element.addEventListener('click', closeDrawers);
  for (const narrow of Object.values(SIDES)) {
    narrow.addEventListener('change', () => {
      delete document.body.dataset.drawer;
      settle();
    });
  }
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') closeDrawers();
  });
  settle();
}
