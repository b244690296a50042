// Page after page of a list, as far as is wanted and as one look goes.
import type { Page } from 'belfry-client/wire';

const PAGES_MAX = 20;

/** `has_more`: it has stopped before the end. */
export interface Gathered<T> { data: T[]; has_more: boolean }

/** `isEnough` of what was read so far. A page may be short, or have nothing at all, and still not be the last. */
export async function gathered<T>(page: (after: string | undefined) => Promise<Page<T>>, isEnough: (read: T[]) => boolean = () => false): Promise<Gathered<T>> {
  const data: T[] = [];
  let after: string | undefined;
  for (let count = 0; count < PAGES_MAX; ++count) {
    const found = await page(after);
    data.push(...found.data);
    if (!found.has_more) return { data, has_more: false };
    if (isEnough(data)) break;
    after = String(found.next);
  }
  return { data, has_more: true };
}
