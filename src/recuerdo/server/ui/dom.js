// Elements are built here and nowhere else. Texts become text nodes: whatever they hold, they are never markup.

export const byId = (id) => document.getElementById(id);

export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const icon = (name) => svg('svg', { 'aria-hidden': 'true' }, svg('use', { href: `#icon-${name}` }));

export const options = (pairs) => pairs.map(([value, label]) => el('option', { value }, label));

// Let the browser save what the page has made.
export function download(blob, name) {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export const iconButton = (name, label, onclick) =>
  el('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick }, icon(name));

// Ask before something is lost. Resolves to whether the answer was yes.
export function confirmed(question, subject, yes) {
  const dialog = byId('confirm');
  dialog.querySelector('.danger').textContent = yes;
  byId('confirm-question').textContent = question;
  byId('confirm-subject').textContent = subject;
  return answered(dialog);
}

export function answered(dialog) {
  dialog.returnValue = '';
  const cancel = dialog.querySelector('[data-cancel]');
  if (cancel) cancel.onclick = () => dialog.close();
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
