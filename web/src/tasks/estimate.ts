// How long something will take, as people write it.

/** `1h 30m`, `2h`, `45m`; nothing: empty. */
export function estimateWords(minutes: number | null): string {
  if (minutes === null) return '';
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h ${rest}m`;
}

/** `1h 30m`, `1.5h`, `90`, `90 min`. Throws where it is none of these. */
export function minutesOf(text: string): number | null {
  const given = text.trim().toLowerCase();
  if (given === '') return null;
  const found = /^(?:(\d+(?:[.,]\d+)?)\s*h(?:ours?)?)?\s*(?:(\d+)\s*(?:m|min|minutes)?)?$/.exec(given);
  if (!found) throw new Error('Write it as 1h 30m, 2h or 45m.');
  return Math.round(Number((found[1] ?? '0').replace(',', '.')) * 60) + Number(found[2] ?? 0);
}
