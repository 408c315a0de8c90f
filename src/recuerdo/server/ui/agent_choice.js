// Which agent answers in the chat: the server's own, or another that the user may use.

import * as api from './api.js';
import { byId, options } from './dom.js';

const GRAPH = 'recuerdo'; // of the agents that the chat can talk to
const MOST = 100;

export class AgentChoice {
  #field = byId('agent');
  #names = new Map();

  constructor({ onChange }) {
    this.#field.addEventListener('change', onChange);
  }

  // Nobody is asked where there is no choice.
  async load(isThere) {
    const agents = isThere ? await api.assistants({ graph_id: GRAPH, limit: MOST }).catch(() => []) : [];
    const own = agents.filter(({ visibility }) => visibility === 'server');
    const others = agents.filter((agent) => !own.includes(agent));
    const chosen = this.id;
    this.#names = new Map(others.map(({ assistant_id: id, name }) => [id, name]));
    this.#field.replaceChildren(...options([['', own[0]?.name ?? GRAPH], ...this.#names]));
    this.choose(chosen);
    byId('agent-choice').hidden = !this.#names.size;
  }

  // The id of the agent that was chosen; null is the server's own.
  get id() {
    return this.#field.value || null;
  }

  // One that is gone makes way for the server's own.
  choose(id) {
    this.#field.value = this.#names.has(id) ? id : '';
  }

  nameOf(id) {
    return this.#names.get(id) ?? null;
  }
}
