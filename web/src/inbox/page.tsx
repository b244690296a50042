import { useMemo, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import { Choices, Head, Search } from '../shell/head';
import { useKeys } from '../parts/keys';
import { Empty } from '../parts/marks';
import { VirtualList } from '../parts/virtual_list';
import { go, hrefOf, narrow, route } from '../route';
import { Detail } from './detail';
import { chosen, type Filter } from './filter';
import { isUnread } from './item';
import { ItemRow } from './row';
import { dropToast } from './toasts';
import { acknowledge, allItems, changed, isLoaded, itemOf, mark } from './store';

const ROW_HEIGHT = 62;
const PRIORITIES = ['critical', 'high', 'normal', 'low'];

/** Where the cursor of the keyboard is, by id: it stays with its item when others come. */
const cursor = signal<string | null>(null);

export function InboxPage() {
  const { id, query } = route.value;
  const filter: Filter = { show: query.get('show') ?? 'all', priority: query.get('priority') ?? '', text: query.get('q') ?? '' };
  const stamp = changed.value;
  // An item that was unread when it was put on screen stays there until the filter is chosen anew.
  const kept = useRef({ of: '', ids: new Set<string>() });
  const of = `${filter.show}|${filter.priority}|${filter.text}`;
  if (kept.current.of !== of) kept.current = { of, ids: new Set() };
  const rows = useMemo(() => chosen(allItems(), filter, kept.current.ids), [stamp, of]);
  const at = useMemo(() => rows.findIndex((row) => row.id === (id ?? cursor.value)), [rows, id, cursor.value]);

  const move = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    if (!next) return;
    cursor.value = next.id;
    if (id) go('inbox', next.id, Object.fromEntries(query));
  };
  const open = (item = rows[at]) => {
    if (!item) return;
    cursor.value = item.id;
    acknowledge(item.id);
    dropToast(item.id);
    go('inbox', item.id, Object.fromEntries(query));
  };
  const put = (what: 'acted' | 'dismissed') => {
    const item = rows[at];
    if (!item) return;
    const next = rows[at + 1] ?? rows[at - 1];
    void mark(item.id, what).catch(() => {});
    if (what === 'dismissed' && filter.show !== 'dismissed') cursor.value = next?.id ?? null;
    if (what === 'dismissed' && id) go('inbox', null, Object.fromEntries(query));
  };
  useKeys({
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: () => open(),
    e: () => put('dismissed'), d: () => put('acted'), u: () => narrow({ show: filter.show === 'unread' ? null : 'unread' }),
    Escape: () => { if (id) go('inbox', null, Object.fromEntries(query)); },
  });

  const item = id ? itemOf(id) : undefined;
  const unread = rows.filter(isUnread).length;
  return (
    <>
      <Head title="Inbox">
        <Choices label="Show" value={filter.show} onChoose={(show) => narrow({ show: show === 'all' ? null : show })}
          choices={[{ value: 'all', label: 'All' }, { value: 'unread', label: 'Unread' }, { value: 'acted', label: 'Done' }, { value: 'dismissed', label: 'Dismissed' }]} />
        <label class="field"><span class="sr">Priority</span>
          <select aria-label="Priority" value={filter.priority} onChange={(event) => narrow({ priority: event.currentTarget.value || null })}>
            <option value="">Any priority</option>{PRIORITIES.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        </label>
        <Search label="Search the inbox" value={filter.text} onInput={(q) => narrow({ q: q || null })} />
      </Head>
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Notifications">
          <VirtualList label="Notifications" count={rows.length} height={ROW_HEIGHT} fixed current={at}
            keyOf={(row) => rows[row]!.id} onChoose={(row) => open(rows[row])} row={(row) => <ItemRow item={rows[row]!} />}
            empty={<Nothing filter={filter} />} />
          <p class="list-foot" role="status">{rows.length} {rows.length === 1 ? 'item' : 'items'}{unread > 0 && `, ${unread} unread`}</p>
        </section>
        <section class="detail" aria-label="One notification">
          {item ? <Detail item={item} back={hrefOf('inbox', null, Object.fromEntries(query))} />
            : <Empty title={id && isLoaded.value ? 'This notification is not in the inbox' : 'Nothing is open'}>{!id && <><kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for all keys</>}</Empty>}
        </section>
      </div>
    </>
  );
}

function Nothing({ filter }: { filter: Filter }) {
  if (!isLoaded.value) return <Empty title="Reading the inbox…" />;
  if (filter.text || filter.priority || filter.show === 'acted' || filter.show === 'dismissed') return <Empty title="Nothing matches" />;
  if (filter.show === 'unread') return <Empty title="All quiet">Everything has been seen.</Empty>;
  return <Empty title="No bell has rung yet"><code>belfry notify "Tea is ready"</code> rings it.</Empty>;
}
