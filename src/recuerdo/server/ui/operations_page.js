// The page of operators: how the server is, its keys, and what was done by whom.

import * as api from './api.js';
import { AuditLog } from './audit_log.js';
import { Chart } from './chart.js';
import { Deletions } from './deletions.js';
import { byId, el } from './dom.js';
import { number, t } from './language.js';
import { Keys } from './keys.js';
import { parsed, quantile, sum } from './metrics.js';

const EVERY = 5000;
const SOON = 1000; // two readings make the first points
const TIERS = ['local', 'shared', 'database'];
const EVENTS = ['saved', 'recalled', 'searched', 'quarantined'];
const QUEUES = ['agent', 'embedding', 'query', 'memory'];
const REQUESTS = 'recuerdo_http_requests_seconds';
const TABS = { now: 'tabNow', deletions: 'tabDeletions', keys: 'tabKeys', audit: 'tabAudit' };
const MEGABYTE = 2 ** 20;
const ALL = () => true;

export class OperationsPage {
  #page = byId('operations-page');
  #timer = null;

  constructor({ onProblem }) {
    this.onProblem = onProblem;
  }

  async open({ id, info }) {
    clearTimeout(this.#timer);
    const tab = id in TABS ? id : 'now';
    this.info = info;
    this.body = el('div', { class: 'scrolled', tabindex: 0, role: 'group', 'aria-label': t(TABS[tab]) });
    const link = ([name, label]) => el('a', { href: name === 'now' ? '#/operations' : `#/operations/${name}`, 'aria-current': name === tab ? 'page' : null }, t(label));
    this.#page.replaceChildren(el('nav', { class: 'tabs', 'aria-label': t('operations') }, ...Object.entries(TABS).map(link)), this.body);
    if (tab === 'keys') return new Keys(this.body, { onProblem: this.onProblem }).open(info.auth.includes('api_key'));
    if (tab === 'deletions') return new Deletions(this.body, { onProblem: this.onProblem }).open();
    if (tab === 'audit') return new AuditLog(this.body, { onProblem: this.onProblem }).open();
    await this.#openNow();
  }

  // --- how it is now ----------------------------------------------------------------------------------------------

  async #openNow() {
    this.health = el('ul', { class: 'health', 'aria-label': t('health') });
    const perSecond = (value) => `${number(value)} /s`;
    this.charts = {
      requests: new Chart(t('chartRequests'), [t('requests'), t('failures')], perSecond),
      latency: new Chart(t('chartLatency'), ['p50', 'p95'], (seconds) => `${number(seconds * 1000)} ms`),
      cache: new Chart(t('chartCache'), TIERS.map((tier) => t('tiers')[tier]), perSecond),
      memory: new Chart(t('chartMemory'), EVENTS.map((event) => t('memoryEvents')[event]), (value) => number(value)),
      queue: new Chart(t('chartQueue'), QUEUES.map((queue) => t('queues')[queue]), (value) => number(value)),
      runs: new Chart(t('chartRuns'), [t('runsWaiting')], (value) => number(value)),
      replicas: new Chart(t('chartReplicas'), [t('replicas')], (value) => number(value)),
      storage: new Chart(t('chartStorage'), [t('database')], (bytes) => `${number(bytes / MEGABYTE)} MB`),
      messages: new Chart(t('chartMessages'), [t('messages')], perSecond),
      spool: new Chart(t('chartSpool'), [t('spooled')], (value) => number(value)),
    };
    this.body.replaceChildren(this.health, el('div', { class: 'charts' }, ...Object.values(this.charts).map((chart) => chart.element)));
    this.before = null;
    await this.#look();
  }

  // Again and again, as long as the page is open and looked at.
  async #look() {
    clearTimeout(this.#timer);
    const { body } = this;
    if (!body.isConnected || document.body.dataset.page !== 'operations') return;
    if (!document.hidden) await this.#read(body).catch((error) => this.#failed(error));
    const pause = this.charts.requests.isEmpty ? SOON : EVERY;
    if (body.isConnected && body === this.body) this.#timer = setTimeout(() => this.#look(), pause);
  }

  async #read(body) {
    const [metrics, { parts }] = await Promise.all([api.metrics(), api.ready()]);
    if (body !== this.body || !this.health) return;
    const [samples, at] = [parsed(metrics), performance.now()];
    this.#showHealth(samples, parts);
    if (this.before) this.#push(this.before, samples, (at - this.at) / 1000);
    [this.before, this.at] = [samples, at];
  }

  #failed(error) {
    if (error.status !== 404) return this.onProblem(error);
    this.health.replaceChildren(el('li', { class: 'hint' }, t('metricsOff')));
  }

  #push(before, after, seconds) {
    const rate = (name, fits) => Math.max(0, sum(after, name, fits) - sum(before, name, fits)) / seconds;
    this.charts.requests.push([rate(`${REQUESTS}_count`), rate(`${REQUESTS}_count`, ({ status }) => status >= '500')]);
    this.charts.latency.push([0.5, 0.95].map((share) => quantile(before, after, REQUESTS, share, ALL)));
    this.charts.cache.push(TIERS.map((tier) => rate('recuerdo_reads_seconds_count', (labels) => labels.tier === tier)));
    this.charts.memory.push(EVENTS.map((event) => sum(after, 'recuerdo_memory_events_total', (labels) => labels.event === event)));
    this.charts.queue.push(QUEUES.map((queue) => sum(after, 'recuerdo_actions_waiting', (labels) => labels.queue === queue)));
    this.charts.runs.push([sum(after, 'recuerdo_runs_waiting')]);
    this.charts.replicas.push([sum(after, 'recuerdo_replicas')].map((n) => (Number.isNaN(n) ? null : n)));
    this.charts.storage.push([sum(after, 'recuerdo_stored_bytes')]);
    this.charts.messages.push([rate('recuerdo_messages_appended_total', ALL)]);
    this.charts.spool.push([sum(after, 'recuerdo_spool_depth')]);
  }

  // What the server says of its parts, and what it has counted since it began.
  #showHealth(samples, { database, cache, migrations }) {
    const { info } = this;
    const isThere = ({ state }) => state === 'ok';
    const failures = sum(samples, 'recuerdo_database_failures_total');
    const stale = sum(samples, 'recuerdo_cache_stale_threads');
    const depth = sum(samples, 'recuerdo_spool_depth');
    const parts = [
      [t('database'), isThere(database) && isThere(migrations) && !failures, t(isThere(database) ? 'answers' : 'noAnswer'), failures ? t('failed_n', { n: failures }) : (migrations.reason ?? t('tablesUpToDate'))],
      cache.state === 'skipped'
        ? [t('sharedCache'), true, t('none'), '']
        : [t('sharedCache'), isThere(cache) && !stale, stale ? t('stale_n', { n: stale }) : t(isThere(cache) ? 'answers' : 'noAnswer'), t('failed_n', { n: sum(samples, 'recuerdo_cache_failures_total') })],
      [t('spool'), !depth, depth ? t('waiting_n', { n: depth }) : t('inOrder'), ''],
      [t('model'), true, info.offline ? t('offlineModel') : info.model, ''],
      [t('embeddings'), info.embeddings !== null, info.embeddings ?? t('none'), ''],
      [t('version'), true, info.version, t('memoryOf', { n: number(sum(samples, 'process_resident_memory_bytes') / 2 ** 20) })],
    ];
    const part = ([name, isWell, says, more]) => el('li', { class: isWell ? 'card' : 'card unwell' }, el('h2', {}, name), el('b', {}, says), more ? el('small', {}, more) : null);
    this.health.replaceChildren(...parts.map(part));
  }
}
