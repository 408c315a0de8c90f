// What a model writes, as elements: Markdown with tables and code. Nothing in it runs, loads or is styled by its author.

import DOMPurify from './dompurify.js';
import { el, icon } from './dom.js';
import { t } from './language.js';
import { Marked } from './marked.js';

const escaped = (text) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

// HTML is shown as it was written, pictures are links, and headings don't disturb those of the page.
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
    heading({ tokens }) {
      return `<p><strong>${this.parser.parseInline(tokens)}</strong></p>`;
    },
  },
});

const ALLOWED = {
  ALLOWED_TAGS: ['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'hr', 'a'],
  ALLOWED_ATTR: ['href', 'start', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
};

export function markdown(text) {
  const fragment = DOMPurify.sanitize(marked.parse(text), ALLOWED);
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  for (const block of fragment.querySelectorAll('pre, table')) framed(block);
  return fragment;
}

// What may be wider than the conversation scrolls within itself, also by the keyboard; code can be copied.
function framed(block) {
  const frame = el('div', { class: 'frame' });
  block.replaceWith(frame);
  const isCode = block.tagName === 'PRE';
  frame.append(el('div', { class: 'wide', tabindex: 0, role: 'group', 'aria-label': t(isCode ? 'code' : 'table') }, block));
  if (!isCode || !navigator.clipboard) return;
  const copy = el('button', { type: 'button', class: 'icon-button', 'aria-label': t('copy'), title: t('copy') }, icon('copy'));
  copy.addEventListener('click', () => navigator.clipboard.writeText(block.textContent).then(() => copy.replaceChildren(icon('check'))));
  frame.append(copy);
}
