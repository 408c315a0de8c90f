// The page of agents: what they are made of, version by version, and a place to try them.

import * as api from './api.js';
import { byId, confirmed, el, options } from './dom.js';
import { GraphDrawing } from './graph_drawing.js';
import { readJson } from './json.js';
import { counted, moment, t } from './language.js';
import { Playground } from './playground.js';

const MOST = 200;
const OURS = 'recuerdo'; // the graph whose prompt can be set; others have a configuration of their own

export class AgentsPage {
  #page = byId('agents-page');
  #asked = 0;

  constructor({ onProblem, onChange }) {
    this.onProblem = onProblem;
    this.onChange = onChange;
  }

  async open({ id, includes }) {
    this.mayShare = includes('editor');
    const asked = ++this.#asked;
    if (id) return this.#openAgent(id, asked);
    const agents = await api.assistants({ limit: MOST });
    if (asked !== this.#asked) return;
    this.#page.replaceChildren(
      this.#form([...new Set(agents.filter(({ visibility }) => visibility === 'server').map(({ graph_id: graph }) => graph))]),
      el('ul', { class: 'entries scrolled', id: 'agent-list', 'aria-label': t('agents'), tabindex: 0 }, ...agents.map(entry)),
    );
  }

  // A new agent over one of the graphs that are served.
  #form(graphs) {
    const prompt = el('textarea', { name: 'prompt', rows: 2, placeholder: t('prompt'), 'aria-label': t('prompt') });
    const graph = el('select', { name: 'graph_id', 'aria-label': t('graph'), onchange: () => { prompt.hidden = graph.value !== OURS; } }, ...options(graphs.map((id) => [id, id])));
    graph.hidden = graphs.length < 2;
    prompt.hidden = graph.value !== OURS;
    const form = el(
      'form',
      { class: 'card new-form', autocomplete: 'off' },
      el('input', { type: 'text', name: 'name', required: true, maxlength: 255, placeholder: t('agentName'), 'aria-label': t('agentName') }),
      graph,
      this.mayShare ? el('select', { name: 'visibility', 'aria-label': t('whoUsesIt') }, ...options([['private', t('forMe')], ['tenant', t('forAll')]])) : null,
      prompt,
      el('button', { class: 'button primary' }, t('makeAgent')),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const { prompt: system, ...agent } = Object.fromEntries(new FormData(form));
      this.#make({ ...agent, ...(system?.trim() && !prompt.hidden ? { context: { prompts: { system: system.trim() } } } : {}) }).catch(this.onProblem);
    });
    return form;
  }

  async #make(wanted) {
    const { assistant_id: id } = await api.makeAssistant(wanted);
    this.onChange();
    location.hash = `#/agents/${encodeURIComponent(id)}`;
  }

  async #remove() {
    if (!(await confirmed(t('removeAgentQuestion'), this.agent.name, t('delete')))) return;
    await api.removeAssistant(this.agent.assistant_id);
    this.onChange();
    location.hash = '#/agents';
  }

  async #openAgent(id, asked) {
    const [agent, versions, graph, schemas] = await Promise.all([api.assistantOf(id), api.assistantVersions(id), api.graphOf(id), api.schemasOf(id)]);
    if (asked !== this.#asked) return;
    this.agent = agent;
    const drawing = new GraphDrawing(graph, agent.name);
    this.#page.replaceChildren(
      el('div', { class: 'page-head' }, el('a', { class: 'link', href: '#/agents' }, `← ${t('agents')}`), this.#mayChange ? el('button', { type: 'button', class: 'button', onclick: () => this.#remove().catch(this.onProblem) }, t('delete')) : null),
      el('h2', { class: 'entity' }, agent.name),
      el('p', { class: 'hint' }, visibility(agent), ` ${agent.graph_id} · ${t('versionN', { n: agent.version })}${agent.description ? ` · ${agent.description}` : ''}`),
      el(
        'div',
        { class: 'scrolled workbench', tabindex: 0, role: 'group', 'aria-label': agent.name },
        el('section', { class: 'card drawing' }, drawing.element),
        new Playground(agent, { drawing, fields: fieldsOf(schemas), onProblem: this.onProblem }).element,
        this.#configuration(),
        el('section', { class: 'card' }, el('h3', {}, t('versions')), el('ol', { class: 'entries' }, ...versions.map((version) => this.#version(version)))),
      ),
    );
  }

  get #mayChange() {
    return this.agent.visibility === 'private' || (this.mayShare && this.agent.visibility === 'tenant');
  }

  // The prompt and the model as fields, and all of it as the JSON that it is.
  #configuration() {
    const { agent } = this;
    const prompt = agent.context?.prompts?.system ?? agent.context?.system_prompt ?? agent.config?.configurable?.system_prompt;
    const model = agent.context?.model?.name ?? agent.context?.model ?? agent.config?.configurable?.model;
    const facts = [[t('prompt'), prompt], [t('model'), typeof model === 'string' ? model : null], [t('limits'), limitsOf(agent.context ?? {})], [t('documents'), agent.context?.retrieval?.collections?.join(', ')]].filter(([, value]) => value);
    const field = el('textarea', { rows: 8, spellcheck: 'false', readonly: !this.#mayChange, 'aria-label': t('configuration'), class: 'code' });
    field.value = JSON.stringify({ context: agent.context ?? {}, config: agent.config ?? {} }, null, 2);
    const save = async () => {
      const { context, config } = readJson(field.value);
      await api.changeAssistant(agent.assistant_id, { ...(context && Object.keys(context).length ? { context } : { config }) });
      await this.#openAgent(agent.assistant_id, ++this.#asked);
    };
    return el(
      'section',
      { class: 'card' },
      el('h3', {}, t('configuration')),
      ...(facts.length ? [el('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]))] : []),
      field,
      ...(this.#mayChange ? [el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: () => save().catch(this.onProblem) }, t('saveVersion')))] : []),
    );
  }

  #version(version) {
    const isCurrent = version.version === this.agent.version;
    const goBack = async () => {
      await api.setLatest(this.agent.assistant_id, version.version);
      await this.#openAgent(this.agent.assistant_id, ++this.#asked);
    };
    const text = JSON.stringify({ context: version.context, config: version.config, metadata: version.metadata }, null, 2);
    return el(
      'li',
      {},
      el('details', { class: 'folded' }, el('summary', {}, t('versionN', { n: version.version }), ' ', isCurrent ? el('b', { class: 'attribute' }, t('current')) : '', ' ', el('time', {}, moment(version.created_at))), el('div', { class: 'text' }, text)),
      this.#mayChange && !isCurrent ? el('button', { type: 'button', class: 'button', onclick: () => goBack().catch(this.onProblem) }, t('goBack')) : '',
    );
  }
}

// How much of the past goes into its prompts.
function limitsOf({ limits = {}, model = {} }) {
  const { window, memories, days, roles } = limits;
  const counts = [['nMessages', window], ['nMemories', memories], ['nDays', days], ['nTokens', model.max_tokens]].filter(([, n]) => n !== undefined && n !== null);
  return [...counts.map(([what, n]) => counted(what, n)), roles?.join(', ')].filter(Boolean).join(' · ');
}

const visibility = ({ visibility: who }) => (who ? el('b', { class: 'attribute' }, t('visibilities')[who] ?? who) : '');

function entry(agent) {
  return el('li', {}, el('a', { class: 'row', href: `#/agents/${encodeURIComponent(agent.assistant_id)}` }, el('span', { class: 'row-head' }, visibility(agent), el('b', { class: 'value' }, agent.name)), el('span', { class: 'row-below' }, `${agent.graph_id} · ${t('versionN', { n: agent.version })}${agent.description ? ` · ${agent.description}` : ''}`)));
}

const fieldsOf = ({ input_schema: input, state_schema: state }) => Object.keys((input ?? state)?.properties ?? {});
