// Where in the app we are: `#/runs/7?tab=timeline`.
import { signal } from '@preact/signals';

export const PAGES = ['inbox', 'conversation', 'changes', 'agents', 'wakes', 'timers', 'runs', 'ledger', 'subscribers', 'overview', 'devices', 'tasks', 'day', 'time', 'journal'] as const;
export type Page = (typeof PAGES)[number];
/** After `g`; most are what the page's name begins with. */
const KEYS: Partial<Record<Page, string>> = { changes: 'p', devices: 'v', tasks: 'k', day: 'd', time: 'h' };
export const keyOf = (page: Page) => KEYS[page] ?? page[0]!;

export interface Route { page: Page; id: string | null; query: URLSearchParams }

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [first = '', second] = path.split('/', 2);
  const page = (PAGES as readonly string[]).includes(first) ? (first as Page) : 'inbox';
  return { page, id: second ? decoded(second) : null, query: new URLSearchParams(search) };
}

/** What somebody has typed into the address need not be well formed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hrefOf(page: Page, id?: string | number | null, query: Record<string, string | null | undefined> = {}): string {
  const given = Object.entries(query).filter((one): one is [string, string] => Boolean(one[1]));
  const search = new URLSearchParams(given).toString();
  return `#/${page}${id === undefined || id === null ? '' : `/${encodeURIComponent(String(id))}`}${search ? `?${search}` : ''}`;
}

export const route = signal(parseRoute(globalThis.location?.hash ?? ''));

globalThis.addEventListener?.('hashchange', () => { route.value = parseRoute(location.hash); });

export function go(page: Page, id?: string | number | null, query?: Record<string, string | null | undefined>) {
  location.hash = hrefOf(page, id, query);
}

/** The same without a step in the browser's history: for what only narrows what is shown. */
export function narrow(query: Record<string, string | null>) {
  const { page, id, query: present } = route.value;
  const merged = { ...Object.fromEntries(present), ...query };
  history.replaceState(null, '', hrefOf(page, id, merged));
  route.value = parseRoute(location.hash);
}
