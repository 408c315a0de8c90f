// Where messages are written. What is written belongs to its conversation, and survives a reload until the server has it.

import { byId } from './dom.js';

const DRAFT = 'recuerdo.draft';

const draftOf = (thread) => (thread === null ? DRAFT : `${DRAFT}.${thread}`);

export class Composer {
  #field = byId('message');
  #draft = draftOf(null);

  constructor({ onSend, onStop }) {
    this.onSend = onSend;
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
    this.#field.disabled = isOff;
  }

  // Another conversation, with what was being written there.
  open(thread) {
    if (this.#draft === draftOf(thread)) return;
    this.#draft = draftOf(thread);
    this.#field.value = sessionStorage.getItem(this.#draft) ?? '';
    this.#changed();
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
    if (!text || this.isBusy) return;
    this.#field.value = '';
    this.#changed();
    sessionStorage.setItem(this.#draft, text);
    this.onSend(text);
  }

  #changed() {
    if (this.#field.value) sessionStorage.setItem(this.#draft, this.#field.value);
    else sessionStorage.removeItem(this.#draft);
    byId('send').disabled = !this.#field.value.trim();
    this.#field.style.height = 'auto';
    this.#field.style.height = `${Math.min(this.#field.scrollHeight, innerHeight * 0.35)}px`;
  }
}
