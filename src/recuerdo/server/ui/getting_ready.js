// While the server loads what the first answer needs, the page says how far it is.

import * as api from './api.js';
import { byId } from './dom.js';
import { t } from './language.js';

const BETWEEN_LOOKS = 700;

// `onReady` is told when there was something to wait for and it is over.
export async function gettingReady(onReady) {
  let waited = false;
  for (;;) {
    const part = (await api.ready().catch(() => null))?.parts?.warm_up;
    if (!part || part.state === 'ok') break;
    waited = true;
    byId('model').classList.add('getting-ready');
    byId('model-name').textContent = t('gettingReady', { n: Math.round((part.progress ?? 0) * 100) });
    byId('model-explanation').textContent = t('gettingReadyWhy');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS));
  }
  byId('model').classList.remove('getting-ready');
  if (waited) onReady();
}
