// The server's own counters, as Prometheus reads them, and what became of them between two readings.

// Samples by name: [{labels, value}].
export function parsed(text) {
  const samples = new Map();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    if (!samples.has(name)) samples.set(name, []);
    samples.get(name).push({ labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return samples;
}

export const sum = (samples, name, fits = () => true) =>
  (samples.get(name) ?? []).filter(({ labels }) => fits(labels)).reduce((total, { value }) => total + value, 0);

// The values of a label that some sample of the name has.
export const valuesOf = (samples, name, label) => [...new Set((samples.get(name) ?? []).map(({ labels }) => labels[label]))];

// The time within which the share of what was measured between two readings was done; null when nothing was.
export function quantile(before, after, name, share, fits) {
  const edges = valuesOf(after, `${name}_bucket`, 'le').map((le) => [le === '+Inf' ? Infinity : Number(le), le]).sort(([one], [other]) => one - other);
  const counts = edges.map(([edge, le]) => [edge, sum(after, `${name}_bucket`, (labels) => labels.le === le && fits(labels)) - sum(before, `${name}_bucket`, (labels) => labels.le === le && fits(labels))]);
  const all = counts.at(-1)?.[1] ?? 0;
  if (!all) return null;
  const [edge] = counts.find(([, count]) => count >= share * all);
  return edge === Infinity ? edges.at(-2)[0] : edge;
}
