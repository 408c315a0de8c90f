// The page: who is talking, which conversation is open, and the turn that is under way.

import { AgentChoice } from './agent_choice.js';
import { AgentsPage } from './agents_page.js';
import * as api from './api.js';
import { Composer } from './composer.js';
import { Conversation, textOf } from './conversation.js';
import { answered, byId, confirmed, el } from './dom.js';
import { DocumentsPage } from './documents_page.js';
import { closeDrawers, openDrawer, startDrawers } from './drawers.js';
import { feedbackOf } from './feedback.js';
import { Finder } from './finder.js';
import { gettingReady } from './getting_ready.js';
import * as graph from './graph.js';
import { chooseLanguage, counted, currentLanguage, t, translate } from './language.js';
import { Memories } from './memories.js';
import { MemoriesPage } from './memories_page.js';
import { MemoryDetails } from './memory_details.js';
import { OperationsPage } from './operations_page.js';
import { Seen } from './seen.js';
import * as sent from './sent.js';
import { startShortcuts } from './shortcuts.js';
import { openWhy, startWhy } from './why.js';
import { startTheme } from './theme.js';
import { Tour } from './tour.js';
import { hashPlace, threadHash, ThreadList } from './threads.js';
import { ThreadsPage } from './threads_page.js';

const USER = 'recuerdo.user';
const BETWEEN_TRIES = 1500;

const state = { info: null, graph: null, user: '', role: 'operator', thread: null, turn: null, lastSeen: null };

const agents = new AgentChoice({ onChange: () => showModel() });
const threads = new ThreadList({ onDeleted, onRenamed: () => showTitle(), onProblem });
const conversation = new Conversation({ onProblem, onMemories: () => openDrawer('memory'), onWhy: (seq, agent) => openWhy(state.thread, seq, agent).catch(onProblem), onBranch, titleOf: (id) => threads.titleOf(id), agentOf: (id) => agents.nameOf(id) });
const details = new MemoryDetails({ onProblem, onChange });
const memories = new Memories({ onProblem, onOpen: (memory) => details.open(memory) });
const seen = new Seen();
const pages = {
  memories: new MemoriesPage({ details, onProblem, onErase: eraseEverything, onChange: () => refreshMemories().catch(onProblem) }),
  agents: new AgentsPage({ onProblem, onChange: () => loadAgents().catch(onProblem) }),
  documents: new DocumentsPage({ onProblem }),
  operations: new OperationsPage({ onProblem }),
  threads: new ThreadsPage({ onProblem, onChange: () => threads.refresh() }),
};
const tour = new Tour({ onAsk: askWhatWasTold, canRestart: () => !mustProve(), onBack: () => gettingReady(showModel) });
const composer = new Composer({ onSend: send, onStop: () => state.turn?.controller.abort(), onRefused: (name) => tell(t('noImage', { name }), 'alert') });

function onChange() {
  pages.memories.changed();
  refreshMemories().catch(onProblem);
}

const isAnonymous = () => !state.user.trim();
const refreshMemories = (fresh) => memories.refresh({ anonymous: isAnonymous(), fresh }).then(greet);

// --- one turn ---------------------------------------------------------------------------------------------------

// `said` is a text, or the parts of a message.
async function send(said, key = crypto.randomUUID()) {
  composer.busy = true;
  await opening.catch(() => {}); // what comes late would wipe the new message away
  if (conversation.isBehind) await openThread(state.thread).catch(() => {});
  const turn = { view: conversation.begin(said), thread: state.thread, controller: new AbortController(), said, text: textOf({ content: said }), key };
  byId('welcome').hidden = byId('missing').hidden = true;
  state.turn = turn;
  composer.busy = true;
  try {
    const body = { message: said, thread_id: turn.thread ?? undefined, assistant_id: agents.id ?? undefined };
    for await (const { event, data } of told(body, key, turn.controller.signal)) react[event]?.(turn, data);
  } catch (error) {
    broken(turn, error);
  }
  ended(turn);
}

// Who answers: the graph that is served, or the built-in agent.
const told = (...turn) => (state.graph ? graph.chat(state.graph, ...turn) : api.chat(...turn));

const react = {
  metadata(turn, start) {
    composer.accepted(turn.text);
    turn.isTaken = true;
    sent.remember(start.message.id, turn.key);
    turn.thread = start.thread_id;
    if (state.turn !== turn) return;
    if (state.thread === null) {
      state.thread = start.thread_id;
      history.pushState(null, '', threadHash(start.thread_id));
      threads.select(start.thread_id);
      composer.begun(start.thread_id);
    }
    state.lastSeen = start;
    seen.showTurn(start);
    showTitle();
  },
  token: (turn, { text }) => turn.view.add(text),
  done(turn, answer) {
    turn.view.finish(answer);
    if (state.turn === turn) conversation.version = answer.version;
    tour.answered();
    judge(turn.thread);
    turn.learnt = answer.memories_saved;
    sent.forget(answer.message?.id);
    if (answer.memories_ended?.length && !answer.memories_saved.length) {
      turn.view.forgot(answer.memories_ended, () => memories.undo(answer.memories_ended[0]));
    }
  },
  error: (turn, { detail, status, code }) => turn.view.fail(new api.ApiError(status, detail, code).message, () => retry(turn)),
};

// Where feedback can't be kept nobody is asked for it.
async function judge(thread) {
  if (isAnonymous()) return;
  const feedback = feedbackOf(thread);
  const ratings = await feedback.ratings().catch(() => null);
  if (ratings && state.thread === thread) conversation.judge(ratings, feedback);
}

function broken(turn, error) {
  if (error.name === 'AbortError') return turn.view.stop();
  if (!(error instanceof api.ApiError)) watchConnection();
  else if (error.status === 401) onProblem(error);
  turn.view.fail(reasonOf(error, turn.isTaken ? 'lost' : 'unreachable'), () => retry(turn));
}

async function ended(turn) {
  const isOpen = state.turn === turn;
  if (isOpen) {
    state.turn = null;
    composer.busy = false;
  }
  try {
    await Promise.all([threads.refresh(), refreshMemories(turn.learnt)]);
    if (!isOpen && state.thread === turn.thread && !state.turn) await openThread(state.thread);
    showTitle();
  } catch (error) {
    onProblem(error);
  }
}

// With the key of the first try a message that did arrive is not stored again, and a reply that is there is told again.
async function retry(turn) {
  if (state.turn) return;
  turn.view.withdraw();
  await send(turn.said, turn.key);
}

// A message that has no whole reply, as the thread is opened again. Without the key of its first try it makes way.
function offerAgain(messages) {
  const said = messages.findLast((message) => message.role === 'user');
  const last = messages.at(-1);
  const key = said && (state.graph ? said.id : sent.keyOf(said.id));
  const brokeOff = last?.metadata?.incomplete && key;
  if (!said || !(last === said || brokeOff) || typeof said.content !== 'string') return;
  conversation.unanswered(async () => {
    if (state.turn) return;
    try {
      if (!key) await api.archive(state.thread, said.seq);
      conversation.withdrawFrom(said.seq);
      await send(said.content, key ?? undefined);
    } catch (error) {
      onProblem(error);
    }
  });
}

// The conversation as it was before a message goes on in a new one, with other words or with another answer.
async function onBranch(seq, text, { isSent = false } = {}) {
  if (state.turn) return;
  try {
    const id = seq > 1 ? (await api.fork(state.thread, seq - 1)).id : null;
    history.pushState(null, '', id ? threadHash(id) : '#/');
    await Promise.all([threads.refresh(), openThread(id)]);
    if (isSent) await send(text);
    else composer.propose(text);
  } catch (error) {
    onProblem(error);
  }
}

// --- the open conversation --------------------------------------------------------------------------------------

let opening = Promise.resolve();

function openThread(id, place = {}) {
  opening = loadThread(id, place);
  return opening;
}

const AROUND = 15; // messages behind the one that is pointed at

async function loadThread(id, { seq = null, memory = null } = {}) {
  state.turn = null;
  composer.busy = false;
  state.thread = id;
  state.lastSeen = null;
  threads.select(id);
  composer.open(id);
  showTitle();
  if (id === null) return showNothing();
  try {
    const [page, view, pointed] = await Promise.all([
      api.messages(id, seq && seq + AROUND + 1),
      api.windowOf(id),
      memory && api.memoryOf(memory).catch(() => null),
      threads.learn(id),
    ]);
    if (state.thread !== id) return;
    showTitle();
    byId('welcome').hidden = byId('missing').hidden = true;
    agents.choose(page.messages.findLast(({ role }) => role === 'assistant')?.metadata?.assistant_id ?? null);
    showModel();
    conversation.show(id, page);
    if (!conversation.isBehind) offerAgain(page.messages);
    judge(id);
    if (seq) conversation.point(seq, pointed);
    seen.showWindow(view.messages);
  } catch (error) {
    if (error.status !== 404) throw error;
    showNothing();
    byId('welcome').hidden = true;
    byId('missing').hidden = false;
    byId('title').textContent = t('missing');
  }
}

function showNothing() {
  conversation.clear();
  seen.showWindow([]);
  byId('welcome').hidden = false;
  byId('missing').hidden = true;
  greet();
}

const loadAgents = () => agents.load(state.graph === null && maySee('agents') && !isAnonymous());

// Which role a page is for, beyond those who are somebody. Others get no link to it.
const FOR = { agents: 'user', operations: 'operator' };
const RANKS = ['anonymous', 'user', 'editor', 'admin', 'operator'];
const includes = (wanted) => RANKS.indexOf(RANKS.includes(state.role) ? state.role : 'user') >= RANKS.indexOf(wanted);
const maySee = (page) => includes(FOR[page] ?? 'anonymous');

function pageOf(hash) {
  const [, page, id = null, place = null] = /^#\/(\w+)(?:\/([^/]+))?(?:\/(\d+))?$/.exec(hash) ?? [];
  return page in pages && maySee(page) ? { page, id: id && decodeURIComponent(id), place: place && Number(place) } : { page: 'chat', id: null };
}

// The conversation, or a page of its own instead of it. Returns whether it is the conversation.
function showPage() {
  const { page, id, place } = pageOf(location.hash);
  document.body.dataset.page = page;
  for (const one of ['chat', ...Object.keys(pages)]) byId(`${one}-page`).hidden = one !== page;
  for (const link of document.querySelectorAll('.pages a')) {
    link.hidden = !maySee(link.hash.slice(2));
    if (pageOf(link.hash).page === page) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (page !== 'chat' && state.info) pages[page].open({ id, place, includes, info: state.info, anonymous: isAnonymous() }).catch(onProblem);
  showTitle();
  return page === 'chat';
}

function showTitle() {
  const page = document.body.dataset.page;
  if (page !== 'chat') {
    byId('title').textContent = t(page);
    document.title = `${t(page)} · Recuerdo`;
    return;
  }
  const title = state.thread === null ? t('newThread') : (threads.title(state.thread) ?? state.turn?.text ?? t('untitled'));
  byId('title').textContent = title;
  document.title = state.thread === null ? 'Recuerdo' : `${title} · Recuerdo`;
}

function greet() {
  byId('greeting').textContent = memories.name ? t('greetingName', { name: memories.name }) : t('greeting');
  byId('suggestions').replaceChildren(...suggestions().map(suggestion));
  tour.offer(!isAnonymous() && state.graph === null);
}

// In a new conversation, so that only what is remembered can answer.
async function askWhatWasTold() {
  history.pushState(null, '', '#/');
  showPage();
  closeDrawers();
  await openThread(null).catch(onProblem);
  composer.propose(suggestions().find((one) => !one.endsWith('…')) ?? t('ask').everything);
}

// What is known is asked for; what is not is to be told. A text that ends in `…` is for the user to go on with.
function suggestions() {
  const told = ['name', 'employer', 'likes'].map((one) => t(memories.knows(one) ? 'ask' : 'tell')[one]);
  return memories.isEmpty ? told : [...told.slice(0, 2), t('ask').everything];
}

function suggestion(text) {
  const propose = () => composer.propose(text.replace(/…$/, ''));
  return el('button', { type: 'button', class: 'suggestion', onclick: propose }, text);
}

function onDeleted(id) {
  if (id === state.thread) location.hash = '#/';
  threads.refresh().catch(onProblem);
}

function onHashChange() {
  closeDrawers();
  if (!showPage()) return;
  const { id, ...place } = hashPlace();
  if (id !== state.thread || place.seq) openThread(id, place).catch(onProblem);
  if (!place.seq) composer.focus();
}

// What was said and done in other tabs meanwhile.
async function catchUp() {
  await refreshLists();
  const id = state.thread;
  if (id === null || state.turn || conversation.hasFailed) return;
  const version = await threads.version(id).catch((error) => (error.status === 404 ? null : Promise.reject(error)));
  if (version !== conversation.version && state.thread === id && !state.turn) await openThread(id);
}

let catchingUp = null;

function onReturn() {
  if (document.hidden || !state.info) return;
  catchingUp ??= opening
    .catch(() => {}) // it was told of
    .then(catchUp)
    .catch(onProblem)
    .finally(() => (catchingUp = null));
}

// --- who and how ------------------------------------------------------------------------------------------------

function become(user, tenant = '') {
  state.user = user;
  api.actAs(user, tenant);
  composer.belongTo(user, tenant);
  showUser();
}

// Without authentication everybody is who they say they are.
function nameYourself(name) {
  localStorage.setItem(USER, name.trim());
  become(name.trim());
}

function showUser() {
  const name = state.user || t('anonymous');
  byId('user-name').textContent = name;
  document.querySelector('.avatar').textContent = [...name][0].toUpperCase();
  byId('user-action').textContent = t(!mustProve() ? 'changeUser' : isAnonymous() ? 'signIn' : 'signOut');
}

// Where the server wants proof it is asked for, until there is one that it believes or nobody wants to go on.
async function signIn() {
  const problem = problemOfSignIn();
  for (;;) {
    try {
      api.actAs('');
      const { tenant, user, anonymous, role } = await api.principal();
      state.role = role;
      if (anonymous) become('');
      else become(user, tenant);
      if (!anonymous) await claim();
      else if (problem) tell(problem, 'alert');
      return;
    } catch (error) {
      if (error.status !== 401) throw error;
      showUser();
      if (await askForCredential(problem)) continue;
      declined = true;
      await api.signOut().catch(() => {}); // what is not believed must not keep a visitor out
      throw error;
    }
  }
}

const SIGN_IN_PROBLEMS = { refused: 'signInRefused', away: 'signInAway' };

// Why the server has led the browser back without a session.
function problemOfSignIn() {
  const problem = SIGN_IN_PROBLEMS[new URLSearchParams(location.search).get('sign-in')];
  if (problem) history.replaceState(null, '', location.pathname + location.hash);
  return problem ? t(problem) : '';
}

// Returns whether there is a credential now that the server believes.
async function askForCredential(why) {
  const [field, dialog] = [byId('credential-field'), byId('credential-dialog')];
  if (dialog.open) return false;
  const takes = state.info.auth.split(', ');
  byId('provider').hidden = !takes.includes('oidc');
  for (const part of [field, ...dialog.querySelectorAll('.by-key')]) part.hidden = takes.join() === 'oidc';
  field.required = !field.hidden;
  for (;;) {
    field.value = '';
    byId('credential-why').textContent = why;
    if (!(await answered(dialog))) return false;
    try {
      await api.present(field.value.trim());
      return true;
    } catch (error) {
      if (error.status !== 401) throw error;
      why = t('wrongCredential');
    }
  }
}

// The conversations of a visitor who signs in become the user's. Most of those who sign in were not visitors.
const CLAIMS = 'recuerdo.claims';

async function claim() {
  if (sessionStorage.getItem(CLAIMS) === null) return;
  sessionStorage.removeItem(CLAIMS);
  await api.claim().catch(() => {});
}

function leaveToSignIn() {
  if (isAnonymous()) sessionStorage.setItem(CLAIMS, 'yes');
  location.assign(`auth/login?next=${encodeURIComponent(`/${location.hash}`)}`);
}

async function signOut() {
  const place = await api.signOut();
  composer.belongTo();
  tabs.postMessage('signed out');
  location.assign(place ?? '/');
}

// The other tabs of this browser, which show what belongs to the one who has signed out.
const tabs = new BroadcastChannel('recuerdo.tabs');
tabs.addEventListener('message', () => leave());

// Begins anew as somebody else, who sees nothing of what is here.
function leave(user, tenant) {
  composer.belongTo(user, tenant);
  location.assign('/');
}

const mustProve = () => state.info && state.info.auth !== 'none';

async function startAgain() {
  declined = false;
  history.replaceState(null, '', '#/');
  opening = signIn().then(refreshAll);
  opening.catch(onProblem);
}

async function changeUser() {
  if (mustProve() && !isAnonymous()) return signOut().catch(onProblem);
  if (mustProve()) {
    sessionStorage.setItem(CLAIMS, 'yes');
    if (await askForCredential('').catch(onProblem)) await startAgain();
    return;
  }
  byId('user-field').value = state.user;
  if (!(await answered(byId('user-dialog'))) || byId('user-field').value.trim() === state.user) return;
  nameYourself(byId('user-field').value);
  history.replaceState(null, '', '#/');
  opening = refreshAll();
  opening.catch(onProblem);
}

async function eraseEverything() {
  if (!(await confirmed(t('eraseAllQuestion'), t('eraseAllWhat'), t('eraseAllYes')))) return;
  state.turn?.controller.abort();
  try {
    const { removed, complete, places } = await api.eraseEverything();
    const { threads = 0, messages = 0, memories = 0 } = removed;
    const what = [counted('nThreads', threads), counted('nMessages', messages), counted('nMemories', memories)];
    showReceipt(complete ? t('erased', { what: what.join(', ') }) : t('erasedNot'), places);
    history.replaceState(null, '', '#/');
    showPage();
    opening = refreshAll();
    await opening;
  } catch (error) {
    onProblem(error);
  }
}

// What was removed from where, and that somebody looked afterwards.
function showReceipt(text, places) {
  byId('receipt-text').textContent = text;
  const line = ({ name, removed, clean }) => el('li', {}, el('span', {}, t('places')[name] ?? name), el('b', {}, `${removed} ${clean ? '✓' : '…'}`));
  byId('receipt-places').replaceChildren(...places.map(line));
  byId('receipt-dialog').showModal();
}

function showModel() {
  if (byId('model').classList.contains('getting-ready')) return;
  const { model, offline } = state.info;
  byId('model-setting').hidden = state.graph !== null;
  if (state.graph !== null) {
    byId('model').classList.remove('offline');
    byId('model-name').textContent = state.graph;
    byId('model-explanation').textContent = t('graphWhy', { graph: state.graph });
    return;
  }
  byId('model').classList.toggle('offline', offline);
  byId('model-name').textContent = agents.nameOf(agents.id) ?? (offline ? t('offlineModel') : model);
  byId('model-explanation').textContent = t(offline ? 'offlineWhy' : 'modelWhy');
}

function speak() {
  translate();
  showUser();
  greet();
  showTitle();
  if (!state.info) return;
  showModel();
  tour.translate();
  lookAtGraph().catch(onProblem);
}

// --- the server -------------------------------------------------------------------------------------------------

const reasonOf = (error, otherwise) => (error instanceof api.ApiError ? error.message : t(otherwise));

function onProblem(error) {
  if (!(error instanceof api.ApiError)) return watchConnection();
  if (error.status === 401 && mustProve() && !byId('credential-dialog').open && !declined) return proveAgain();
  tell(t('failed', { reason: error.message }), 'alert');
}

function tell(text, role) {
  const toast = el('div', { class: 'toast', role }, text);
  document.body.append(toast);
  setTimeout(() => toast.remove(), 6000);
}

let declined = false;

let proving = null;

// Several requests fail together, and each is told: the user is asked once.
const proveAgain = () => (proving ??= prove().finally(() => (proving = null)));

// The proof was good and is no more, or the browser is somebody else's. Users who do not want to give another can do so
// later, by the button with their name.
async function prove() {
  api.actAs('');
  const other = await api.principal().catch(() => null);
  if (other && !other.anonymous) return leave(other.user, other.tenant);
  declined = !(await askForCredential(t(state.info.auth.includes('oidc') ? 'sessionOver' : 'credentialOver')));
  if (declined && other) return leave();
  if (!declined) await startAgain();
}

let watching = false;

async function watchConnection() {
  if (watching) return;
  watching = true;
  byId('offline-banner').hidden = false;
  while (!(await api.alive().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES));
  byId('offline-banner').hidden = true;
  watching = false;
  gettingReady(showModel);
  await refreshLists().catch(onProblem);
}

async function refreshLists() {
  if (!state.info) return refreshAll();
  await Promise.all([threads.refresh(), refreshMemories()]);
}

async function refreshAll() {
  if (!state.info) {
    state.info = await api.info();
    state.graph = state.info.graphs[0] ?? null;
    conversation.canBranch = state.graph === null;
    showModel();
    gettingReady(showModel);
    api.renewSessions(state.info.auth.includes('oidc'));
    if (mustProve()) await signIn();
    else nameYourself(localStorage.getItem(USER) ?? state.info.local_user);
    await loadAgents();
    showPage();
  }
  await Promise.all([threads.refresh(), refreshMemories(), loadThread(hashPlace().id, hashPlace()), lookAtGraph()]);
  showTitle();
}

// A page that only talks has nothing for a graph that takes something else: it says so, instead of a failure later.
async function lookAtGraph() {
  if (state.graph === null) return;
  const fields = await graph.missing(state.graph);
  composer.isOff = fields !== null;
  byId('no-messages').hidden = fields === null;
  if (fields !== null) byId('no-messages').textContent = t('noMessages', { graph: state.graph, fields });
}

// --- the start --------------------------------------------------------------------------------------------------

byId('language').value = currentLanguage();
byId('language').addEventListener('change', (event) => {
  chooseLanguage(event.target.value);
  speak();
  threads.render();
  memories.render();
  if (document.body.dataset.page !== 'chat') showPage();
  if (!state.turn) openThread(state.thread).catch(onProblem);
});
byId('provider').addEventListener('click', leaveToSignIn);
byId('user-button').addEventListener('click', changeUser);
byId('erase-all').addEventListener('click', eraseEverything);
byId('new-thread').addEventListener('click', () => {
  if (state.thread === null && !state.turn) showNothing();
});
addEventListener('hashchange', onHashChange);

// A link to a place of the page leads there at once: the event of a changed address comes later, and what was typed and
// sent in between would go into the conversation that was left.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#/"]');
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.hash !== location.hash) history.pushState(null, '', link.hash);
  onHashChange();
});
document.addEventListener('visibilitychange', onReturn);
addEventListener('focus', onReturn);
document.addEventListener('click', (event) => {
  if (!byId('model').contains(event.target)) byId('model').open = false;
});
byId('model').addEventListener('keydown', (event) => {
  if (event.key === 'Escape') byId('model').open = false;
});

startDrawers();
startWhy();
startTheme();
const finder = new Finder({ onProblem, titled: (words) => threads.titled(words) });
startShortcuts({
  onNew: () => byId('new-thread').click(),
  onWrite: () => document.body.dataset.page === 'chat' && byId('message').focus(),
  onStop: () => state.turn !== null && state.turn.controller.abort(),
  onHelp: () => finder.open(),
});
showPage();
speak();
composer.focus();
opening = refreshAll();
opening.catch(onProblem);
