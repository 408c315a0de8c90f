// A place to try a graph: it runs step by step before one's eyes, asks, is answered, and its state can be changed.

import * as api from './api.js';
import { Checkpoints } from './checkpoints.js';
import { el } from './dom.js';
import { readJson } from './json.js';
import { t } from './language.js';

const STEPS = 200; // lines that are shown

export class Playground {
  #thread = null;

  constructor(agent, { drawing, fields, onProblem }) {
    this.agent = agent;
    this.drawing = drawing;
    this.takesMessages = fields.length === 0 || fields.includes('messages');
    this.onProblem = onProblem;
    const act = (work) => () => work().catch(onProblem);
    this.input = el('textarea', { rows: 2, id: 'run-input', 'aria-label': t(this.takesMessages ? 'message' : 'inputJson'), placeholder: t(this.takesMessages ? 'placeholder' : 'inputJson') });
    if (!this.takesMessages) this.input.value = JSON.stringify(Object.fromEntries(fields.map((field) => [field, ''])), null, 2);
    this.runButton = el('button', { type: 'button', class: 'button primary', id: 'run', onclick: act(() => this.#start()) }, t('run'));
    this.stopButton = el('button', { type: 'button', class: 'button', hidden: true, onclick: () => this.controller?.abort() }, t('stop'));
    this.fresh = el('button', { type: 'button', class: 'button', onclick: () => this.#begin(null) }, t('newRun'));
    this.steps = el('ol', { class: 'steps', id: 'run-steps', 'aria-live': 'polite', 'aria-label': t('stepsOfRun') });
    this.asks = el('div', { id: 'run-asks' });
    this.state = el('textarea', { rows: 8, class: 'code', spellcheck: 'false', id: 'run-state', 'aria-label': t('state') });
    this.saveState = el('button', { type: 'button', class: 'button', onclick: act(() => this.#writeState()) }, t('saveState'));
    this.stateOf = el('details', { class: 'folded', hidden: true }, el('summary', {}, t('state')), this.state, el('div', { class: 'tools' }, this.saveState));
    this.past = el('section', { hidden: true });
    this.checkpoints = new Checkpoints(this.past, { onProblem, onFork: (thread) => this.#begin(thread) });
    this.element = el('section', { class: 'card playground' }, el('h3', {}, t('playground')), this.input, el('div', { class: 'tools' }, this.runButton, this.stopButton, this.fresh), this.steps, this.asks, this.stateOf, this.past);
  }

  async #begin(thread) {
    this.#thread = thread;
    this.steps.replaceChildren();
    this.asks.replaceChildren();
    this.drawing.mark(null);
    this.stateOf.hidden = this.past.hidden = thread === null;
    if (thread !== null) await this.#look().catch(this.onProblem);
  }

  async #start() {
    const input = this.takesMessages ? { messages: [{ type: 'human', content: this.input.value.trim() }] } : readJson(this.input.value);
    if (this.takesMessages && !this.input.value.trim()) return this.input.focus();
    await this.#run({ input });
    if (this.takesMessages) this.input.value = '';
  }

  async #run(body) {
    this.asks.replaceChildren();
    this.drawing.mark(null);
    this.#thread ??= (await api.newGraphThread()).thread_id;
    this.controller = new AbortController();
    this.runButton.disabled = true;
    this.stopButton.hidden = false;
    try {
      const run = { ...body, assistant_id: this.agent.assistant_id, stream_mode: ['tasks'], on_disconnect: 'cancel' };
      for await (const { event, data } of api.run(this.#thread, run, this.controller.signal)) this.#heard(event, data);
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
      this.#line(t('stopped'), null);
    } finally {
      this.runButton.disabled = false;
      this.stopButton.hidden = true;
    }
    await this.#look();
  }

  #heard(event, data) {
    if (event === 'error') this.#line(t('stepFailed'), data, 'problem');
    if (event !== 'tasks') return;
    const isOver = 'result' in data || 'error' in data;
    if (!isOver) {
      this.drawing.mark(data.name, 'running');
      return this.#line(`▶ ${data.name}`, data.input);
    }
    const state = data.error ? 'failed' : data.interrupts?.length ? 'waiting' : 'done';
    this.drawing.mark(data.name, state);
    this.#line(`${{ failed: '✕', waiting: '…', done: '✓' }[state]} ${data.name}`, data.error ?? data.result, state === 'failed' ? 'problem' : '');
  }

  #line(title, data, kind = '') {
    const text = data === null || data === undefined ? null : el('div', { class: 'text' }, typeof data === 'string' ? data : JSON.stringify(data, null, 2));
    this.steps.append(el('li', { class: kind }, text ? el('details', { class: 'folded' }, el('summary', {}, title), text) : el('span', {}, title)));
    while (this.steps.childElementCount > STEPS) this.steps.firstChild.remove();
  }

  // Where the thread stands: its state, and what it asks.
  async #look() {
    const state = await api.stateOf(this.#thread);
    this.state.value = JSON.stringify(state.values, null, 2);
    this.stateOf.hidden = false;
    const asked = state.tasks.flatMap((task) => task.interrupts);
    const goOn = el('button', { type: 'button', class: 'button', onclick: () => this.#run({ input: null }).catch(this.onProblem) }, t('goOnTo', { next: state.next.join(', ') }));
    this.asks.replaceChildren(...(asked.length ? [this.#question(asked[0].value)] : state.next.length ? [goOn] : []));
    await this.checkpoints.open(this.#thread);
  }

  #question(value) {
    const answer = el('input', { type: 'text', id: 'run-answer', 'aria-label': t('answer'), placeholder: t('answerHint') });
    const send = (event) => {
      event.preventDefault();
      this.#run({ command: { resume: meant(answer.value) } }).catch(this.onProblem);
    };
    return el('form', { class: 'asked', autocomplete: 'off', onsubmit: send }, el('b', {}, t('asks')), el('div', { class: 'text' }, typeof value === 'string' ? value : JSON.stringify(value, null, 2)), el('div', { class: 'tools' }, answer, el('button', { class: 'button primary' }, t('goOn'))));
  }

  async #writeState() {
    await api.writeState(this.#thread, readJson(this.state.value));
    await this.#look();
  }
}

// What looks like JSON is JSON; all else is text.
function meant(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
