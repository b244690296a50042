// What was written down, and the search through the whole journal.
import { useEffect, useState } from 'preact/hooks';
import { AddLine } from '../journal/add_line';
import { foundBy, make, someOf } from '../journal/calls';
import { ofJournal } from '../journal/gate';
import type { Gathered } from '../journal/gather';
import { CategoryMark, type Names, optionsOf, useNames } from '../journal/names';
import type { AnyRecord, Entry, Kind } from '../journal/records';
import { useJournal } from '../journal/use_journal';
import { hasWord } from '../journal/words';
import { useKeys } from '../parts/keys';
import { Ago, Empty, Trouble, minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { Select } from '../parts/select';
import { VirtualList } from '../parts/virtual_list';
import { go, narrow, route } from '../route';
import { Head, Search } from '../shell/head';
import { ENTRY_TYPES, KINDS, kindWords, moreWords, nameOf, namedBy, recordWords } from './found';
import { RecordView } from './record_view';

const PAGE = 200;
const TYPING_MS = 150;
const many = (one: string) => (one === 'time' ? one : one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`);
const TYPES = Object.entries(ENTRY_TYPES).map(([value, label]) => ({ value, label: many(label) }));
const SHOWN = [...TYPES, ...Object.entries(KINDS).map(([value, label]) => ({ value, label: many(label) }))];

/** Entries unless another kind is chosen; words are looked for in all kinds then. */
async function read(pages: number, shown: string, category: string, text: string): Promise<Gathered<AnyRecord>> {
  const q = hasWord(text) ? text : undefined;
  const isEnough = (found: unknown[]) => found.length >= pages * PAGE;
  if (q && !shown) return foundBy(q, undefined, category || undefined, isEnough);
  const about = { category: category || undefined, q, limit: PAGE };
  if (Object.hasOwn(ENTRY_TYPES, shown)) return someOf('entry', { ...about, type: shown as Entry['type'] }, isEnough);
  return someOf((shown || 'entry') as Kind, about, isEnough) as Promise<Gathered<AnyRecord>>;
}

export const JournalPage = ofJournal('Journal', () => {
  const { id, query } = route.value;
  const given = query.get('kind') ?? '';
  const shown = SHOWN.some(({ value }) => value === given) ? given : '';
  const category = query.get('category') ?? '';
  const text = query.get('q') ?? '';
  const [pages, setPages] = useState(1);
  const { value, trouble, again } = useJournal(() => read(pages, shown, category, text), [shown, category]);
  const names = useNames();
  useEffect(() => {
    const timer = setTimeout(again, TYPING_MS);
    return () => clearTimeout(timer);
  }, [pages, text]);
  const records = value?.data ?? [];
  const at = records.findIndex((one) => nameOf(one) === id);
  const kept = { kind: shown, category, q: text };
  const move = (by: number) => {
    const next = records[Math.min(records.length - 1, Math.max(0, at + by))];
    if (next) go('journal', nameOf(next), kept);
  };
  useKeys({
    j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('journal', null, kept); },
    n: () => document.querySelector<HTMLInputElement>('.add-line input')?.focus(),
  });
  const opened = namedBy(id);
  return (
    <>
      <Head title="Journal">
        <Select label="Kind" all={hasWord(text) ? 'All kinds' : 'All entries'} choices={SHOWN} value={shown} onChoose={(one) => narrow({ kind: one || null })} />
        <Select label="Category" all="All categories" choices={optionsOf(names.categories)} value={category} onChoose={(one) => narrow({ category: one || null })} />
        <Search label="Search the journal" value={text} onInput={(q) => narrow({ q: q || null })} />
      </Head>
      <div class={`split${opened ? ' opened' : ''}`}>
        <section class="list" aria-label="Records">
          <AddLine label="Write an entry" add={(said) => make('entry', { type: 'text', text: said, ...(category ? { category_id: category } : {}) })} />
          {trouble && <Trouble text={trouble} retry={again} />}
          <VirtualList label="Records" count={records.length} height={62} fixed current={at} keyOf={(row) => nameOf(records[row]!)}
            onChoose={(row) => go('journal', nameOf(records[row]!), kept)} row={(row) => <RecordRow record={records[row]!} names={names} />}
            empty={value && <Nothing isNarrowed={Boolean(text || shown || category)} />} />
          <p class="list-foot" role="status">{value && `${records.length}${value.has_more ? ' and more' : ''} ${hasWord(text) ? 'found' : 'shown'}`}
            {value?.has_more && <> <button type="button" class="link" onClick={() => setPages(pages + 1)}>Show more</button></>}</p>
        </section>
        <section class="detail" aria-label="One record">
          {opened ? <RecordView key={id} {...opened} names={names} back={kept} /> : <Empty title="Choose a record"><kbd>j</kbd> and <kbd>k</kbd> go through them, <kbd>n</kbd> writes an entry, <kbd>/</kbd> searches all kinds.</Empty>}
        </section>
      </div>
    </>
  );
});

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) return <Empty title="Nothing matches">All words have to be there; the last one may be a beginning.</Empty>;
  return <Empty title="Nothing written yet">Write a line above, or: <code>belfry entry add 'Slept well'</code></Empty>;
}

function RecordRow({ record, names }: { record: AnyRecord; names: Names }) {
  const more = moreWords(record, minute.value);
  return (
    <div class="item record-item">
      <p class="item-title"><span><strong>{seen(recordWords(record))}</strong></span><Ago at={record.created_at} /></p>
      <p class="item-second"><span class="item-source">{kindWords(record)}</span>{record.kind !== 'category' && <CategoryMark names={names} id={record.category_id} />}<span class="item-text">{seen(more)}</span></p>
    </div>
  );
}
