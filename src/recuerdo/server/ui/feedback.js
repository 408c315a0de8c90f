// What somebody thought of a reply. It is kept among their own items: whoever is erased takes it along.

import * as api from './api.js';

const NAMESPACE = ['feedback'];
const MOST = 1000;

const keyOf = (thread, seq) => `${thread}/${seq}`;

const itemsOf = async (thread) => (await api.searchItems({ namespace_prefix: NAMESPACE, filter: { thread }, limit: MOST })).items;

// It goes with its conversation.
export async function forgetFeedback(thread) {
  for (const { key } of await itemsOf(thread)) await api.deleteItem({ namespace: NAMESPACE, key });
}

export const feedbackOf = (thread) => ({
  // The ratings by seq: 1 or -1.
  async ratings() {
    return new Map((await itemsOf(thread)).map(({ value }) => [value.seq, value.rating]));
  },

  // With 0 it is taken back.
  async rate(seq, rating) {
    if (rating) await api.putItem({ namespace: NAMESPACE, key: keyOf(thread, seq), value: { thread, seq, rating } });
    else await api.deleteItem({ namespace: NAMESPACE, key: keyOf(thread, seq) });
  },
});
