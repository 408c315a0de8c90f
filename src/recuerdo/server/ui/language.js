// The language of the page: the browser's, until the user chooses another.

import { strings } from './strings.js';

const KEY = 'recuerdo.language';

const supported = (tag) => (tag || '').slice(0, 2).toLowerCase() in strings;

let language =
  [localStorage.getItem(KEY), ...navigator.languages].find(supported)?.slice(0, 2).toLowerCase() ?? 'en';

export const currentLanguage = () => language;

export function chooseLanguage(choice) {
  language = choice;
  localStorage.setItem(KEY, choice);
}

export function t(key, values = {}) {
  const text = strings[language][key];
  if (typeof text !== 'string') return text;
  return filled(text, values);
}

// A string that has one form for each of the language's plurals: {n} is the number.
export function counted(key, n) {
  const forms = strings[language][key];
  return filled(forms[new Intl.PluralRules(language).select(n)] ?? forms.other, { n: new Intl.NumberFormat(language).format(n) });
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

// Fill in every element that names its string.
export function translate(root = document) {
  document.documentElement.lang = language;
  for (const element of root.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll('[data-t-placeholder]')) {
    element.placeholder = t(element.dataset.tPlaceholder);
  }
  for (const element of root.querySelectorAll('[data-t-label]')) {
    element.setAttribute('aria-label', t(element.dataset.tLabel));
    if (element.tagName === 'BUTTON') element.title = t(element.dataset.tLabel);
  }
}

export const number = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);

export const precise = (value) => new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }).format(value);

const STEPS = [['day', 86400], ['hour', 3600], ['minute', 60]];
const WEEK = 604800;

// How long ago it was, or, after a week, on which day.
export function ago(time) {
  const at = new Date(time);
  const seconds = (at - Date.now()) / 1000;
  if (Math.abs(seconds) >= WEEK) return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: sameYear(at) ? undefined : 'numeric' }).format(at);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
  const [unit, length] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return format.format(Math.trunc(unit === 'second' ? 0 : seconds / length), unit);
}

// The day, the week or the month that a list puts a time under.
export function groupOf(time) {
  const [at, now] = [new Date(time), new Date()];
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86400000);
  if (days < 2) return capital(new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day'));
  if (days < 7) return t('thisWeek');
  return capital(new Intl.DateTimeFormat(language, { month: 'long', year: sameYear(at) ? undefined : 'numeric' }).format(at));
}

const sameYear = (at) => at.getFullYear() === new Date().getFullYear();

const capital = (text) => text[0].toLocaleUpperCase(language) + text.slice(1);

export const day = (time) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(time));

export const moment = (time) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
