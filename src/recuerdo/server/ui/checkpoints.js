// The states of a graph on a thread, step by step: what it knew then, and a new thread that goes on from there.

import * as api from './api.js';
import { el } from './dom.js';
import { moment, t } from './language.js';

const STEPS = 50;

export class Checkpoints {
  // `onFork` is told the new thread's id.
  constructor(section, { onProblem, onFork }) {
    this.section = section;
    this.onProblem = onProblem;
    this.onFork = onFork;
  }

  // Shows nothing for a thread that no graph has run on.
  async open(thread) {
    this.thread = thread;
    const isOfGraph = (await api.graphThreads({ ids: [thread] })).length > 0;
    const states = isOfGraph ? await api.statesOf(thread, STEPS) : [];
    this.section.hidden = states.length === 0;
    this.section.replaceChildren(el('h3', {}, t('steps')), el('ol', { class: 'steps' }, ...states.map((state) => this.#step(state))));
  }

  #step(state) {
    const id = state.checkpoint?.checkpoint_id;
    const next = state.next?.length ? `→ ${state.next.join(', ')}` : t('stepEnd');
    const fork = async () => this.onFork(await api.forkState(this.thread, id));
    return el(
      'li',
      {},
      el(
        'details',
        { class: 'folded' },
        el('summary', {}, el('b', {}, String(state.metadata?.step ?? '')), ' ', next, ' ', el('time', { datetime: state.created_at }, state.created_at ? moment(state.created_at) : '')),
        el('div', { class: 'text', tabindex: 0, role: 'group', 'aria-label': t('state') }, JSON.stringify(state.values, null, 2)),
      ),
      el('button', { type: 'button', class: 'button', onclick: () => fork().catch(this.onProblem) }, t('forkHere')),
    );
  }
}
