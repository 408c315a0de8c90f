// What somebody thought of a reply. It is kept among their own items, and the server deletes it with its conversation.

import * as api from './api.js';

const NAMESPACE = ['feedback'];
const MOST = 1000;

const keyOf = (thread, seq) => `${thread}/${seq}`;

const itemsOf = async (thread) => (await api.searchItems({ namespace_prefix: NAMESPACE, filter: { thread }, limit: MOST })).items;

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
