// Images in messages: made small enough for a request before they are sent, and shown only where they load nothing.

import { el } from './dom.js';
import { t } from './language.js';

const MOST = 4;
const LONGEST_SIDE = 1024; // pixels
const QUALITY = 0.82;
const OWN = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+=*$/;

export const TAKEN = 'image/png,image/jpeg,image/webp,image/gif';

// The image of a part of a message, as an address that holds it; null where there is none, or it lies elsewhere.
export function imageOf(part) {
  const url = typeof part?.image_url === 'string' ? part.image_url : part?.image_url?.url;
  return typeof url === 'string' && OWN.test(url) ? url : null;
}

export const picture = (url) => el('img', { class: 'picture', src: url, alt: t('image') });

export const parts = (text, images) => [
  ...(text ? [{ type: 'text', text }] : []),
  ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
];

// As JPEG, no larger than a model looks at.
async function shrunk(file) {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
  const canvas = el('canvas');
  [canvas.width, canvas.height] = [Math.max(1, Math.round(image.width * scale)), Math.max(1, Math.round(image.height * scale))];
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff'; // behind what is transparent
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', QUALITY);
}

// The images that will go with the next message.
export class Attached {
  #images = [];

  constructor(list, { onChange, onRefused }) {
    this.list = list;
    this.onChange = onChange;
    this.onRefused = onRefused;
  }

  get count() {
    return this.#images.length;
  }

  async add(files) {
    for (const file of [...files].slice(0, MOST - this.#images.length)) {
      try {
        this.#images.push(await shrunk(file));
      } catch {
        this.onRefused(file.name);
      }
    }
    this.#draw();
  }

  // They are sent, and no more here.
  take() {
    const images = this.#images;
    this.#images = [];
    this.#draw();
    return images;
  }

  #draw() {
    const entry = (url, at) => el('li', {}, el('button', { type: 'button', 'aria-label': `${t('removeImage')} ${at + 1}`, title: t('removeImage'), onclick: () => this.#remove(at) }, picture(url)));
    this.list.replaceChildren(...this.#images.map(entry));
    this.list.hidden = this.#images.length === 0;
    this.onChange();
  }

  #remove(at) {
    this.#images = this.#images.toSpliced(at, 1);
    this.#draw();
  }
}
