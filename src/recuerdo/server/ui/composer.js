// Where messages are written. What is written belongs to its conversation, and survives a reload until the server has it.

import { byId } from './dom.js';
import { Attached, parts, TAKEN } from './images.js';

const DRAFT = 'recuerdo.draft';

const DRAFTS_OF = 'recuerdo.drafts_of';

const draftOf = (thread) => (thread === null ? DRAFT : `${DRAFT}.${thread}`);

export class Composer {
  #field = byId('message');
  #draft = draftOf(null);

  constructor({ onSend, onStop, onRefused }) {
    this.onSend = onSend;
    this.attached = new Attached(byId('attached'), { onChange: () => this.#changed(), onRefused });
    byId('images').accept = TAKEN;
    byId('images').addEventListener('change', (event) => this.attached.add(event.target.files).then(() => (event.target.value = '')));
    this.#field.addEventListener('paste', (event) => this.attached.add([...event.clipboardData.files].filter(({ type }) => TAKEN.includes(type))));
    this.#field.value = sessionStorage.getItem(this.#draft) ?? '';
    this.#field.addEventListener('input', () => this.#changed());
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#send();
    });
    byId('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    byId('stop').addEventListener('click', onStop);
    this.busy = false;
    this.#changed();
  }

  set busy(busy) {
    this.isBusy = busy;
    byId('send').hidden = busy;
    byId('stop').hidden = !busy;
  }

  set isOff(isOff) {
    this.#field.disabled = byId('images').disabled = isOff;
  }

  // Another conversation, with what was being written there.
  open(thread) {
    if (this.#draft === draftOf(thread)) return;
    this.#draft = draftOf(thread);
    this.#field.value = sessionStorage.getItem(this.#draft) ?? '';
    this.#changed();
  }

  // What somebody else was writing in this tab is removed; what a visitor was writing goes along with them.
  belongTo(user = '', tenant = '') {
    const owner = user && JSON.stringify([tenant, user]);
    const before = sessionStorage.getItem(DRAFTS_OF);
    if (before && before !== owner) {
      for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT)) sessionStorage.removeItem(key);
      this.#field.value = '';
      this.#changed();
    }
    sessionStorage.setItem(DRAFTS_OF, owner);
  }

  // The new conversation is this thread from now on.
  begun(thread) {
    sessionStorage.removeItem(this.#draft);
    this.#draft = draftOf(thread);
    this.#changed();
  }

  propose(text) {
    this.#field.value = text;
    this.#changed();
    this.#field.focus();
  }

  // Not on touch screens: the keyboard would cover what is there to read.
  focus() {
    if (matchMedia('(hover: none)').matches) return;
    this.#field.focus({ preventScroll: true });
  }

  // The server has what was sent.
  accepted(text) {
    if (sessionStorage.getItem(this.#draft) === text) sessionStorage.removeItem(this.#draft);
  }

  #send() {
    const text = this.#field.value.trim();
    if (!(text || this.attached.count) || this.isBusy) return;
    const images = this.attached.take();
    this.#field.value = '';
    this.#changed();
    if (text) sessionStorage.setItem(this.#draft, text);
    this.onSend(images.length ? parts(text, images) : text);
  }

  #changed() {
    if (this.#field.value) sessionStorage.setItem(this.#draft, this.#field.value);
    else sessionStorage.removeItem(this.#draft);
    byId('send').disabled = !this.#field.value.trim() && !this.attached.count;
    this.#field.style.height = 'auto';
    this.#field.style.height = `${Math.min(this.#field.scrollHeight, innerHeight * 0.35)}px`;
  }
}
