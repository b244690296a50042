// Prometheus' text form, as far as Belfry writes it, and what two readings of it tell together.

export type Samples = Map<string, number>;
export interface Reading { at: number; samples: Samples }

export function parseMetrics(text: string): Samples {
  const samples: Samples = new Map();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const end = line.lastIndexOf(' ');
    const value = Number(line.slice(end + 1));
    if (end > 0 && Number.isFinite(value)) samples.set(line.slice(0, end), value);
  }
  return samples;
}

/** How much a counter grew a second; a restart begins anew at nothing. */
export function rate(before: Reading, after: Reading, name: string): number {
  const seconds = (after.at - before.at) / 1000;
  const now = after.samples.get(name) ?? 0;
  const then = before.samples.get(name) ?? 0;
  return seconds <= 0 ? 0 : (now >= then ? now - then : now) / seconds;
}

const BUCKET = /^(\w+)_bucket\{le="([^"]+)"\}$/;

/** The bound under which a part of the observations between two readings lies, in seconds; null: there was none. */
export function quantile(before: Reading, after: Reading, name: string, part: number): number | null {
  const buckets: { bound: number; grown: number }[] = [];
  for (const [key, value] of after.samples) {
    const found = BUCKET.exec(key);
    if (!found || found[1] !== name) continue;
    const then = before.samples.get(key) ?? 0;
    buckets.push({ bound: found[2] === '+Inf' ? Infinity : Number(found[2]), grown: value >= then ? value - then : value });
  }
  buckets.sort((a, b) => a.bound - b.bound);
  const total = buckets.at(-1)?.grown ?? 0;
  if (total === 0) return null;
  let below = 0;
  let from = 0;
  for (const { bound, grown } of buckets) {
    if (grown >= part * total) {
      if (bound === Infinity) return from;
      return from + ((part * total - below) / (grown - below)) * (bound - from);
    }
    below = grown;
    from = bound;
  }
  return from;
}
