// One record that was found. An entry is changed here; others show what they say, and the way to where they are.
import { mayBe, recordOf } from '../journal/calls';
import { CategoryMark, type Names } from '../journal/names';
import type { AnyRecord, Kind } from '../journal/records';
import { useJournal } from '../journal/use_journal';
import { Icon } from '../parts/icons';
import { Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { hrefOf } from '../route';
import { Links } from '../tasks/links';
import { DeleteEntry, EntryView } from './entry_view';
import { homeOf, kindWords, recordWords, wholeText } from './found';

interface Props { kind: Kind; id: string; names: Names; back: Record<string, string> }

/** An item is at home where its checklist is, the rating of a session where its time is. */
async function homeRecord(record: AnyRecord): Promise<AnyRecord | null> {
  if (record.kind === 'checklist_item') return mayBe('checklist', record.checklist_id);
  return record.kind === 'rating' && record.target === 'session' ? mayBe('time_entry', record.target_id) : record;
}

async function read(kind: Kind, id: string): Promise<{ record: AnyRecord; home: AnyRecord | null }> {
  const record = await recordOf(kind, id) as AnyRecord;
  return { record, home: await homeRecord(record) };
}

export function RecordView({ kind, id, names, back }: Props) {
  const { value, trouble, again } = useJournal(() => read(kind, id), [kind, id]);
  if (!value) return trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>;
  const { record, home } = value;
  return (
    <article class="record">
      <a class="back" href={hrefOf('journal', null, back)}><Icon name="back" />Journal</a>
      {trouble && <Trouble text={trouble} />}
      {record.kind === 'entry' ? <EntryView entry={record} names={names} /> : <Other record={record} home={home} names={names} />}
      <Links id={record.id} />
      <dl class="particulars">
        <div><dt>Made</dt><dd>{moment(record.created_at)}</dd></div>
        <div><dt>Changed</dt><dd>{moment(record.updated_at)}, revision {record.revision}</dd></div>
        <div><dt>Id</dt><dd><code>{record.id}</code></dd></div>
      </dl>
      {record.kind === 'entry' && <DeleteEntry entry={record} back={back} />}
    </article>
  );
}

function Other({ record, home, names }: { record: AnyRecord; home: AnyRecord | null; names: Names }) {
  const title = recordWords(record);
  const text = wholeText(record);
  const way = home && homeOf(home);
  return (
    <>
      <header><h2>{seen(title)}</h2><p class="facts"><span>{kindWords(record)}</span>{record.kind !== 'category' && <CategoryMark names={names} id={record.category_id} />}</p></header>
      {text && text !== title && <p class="said">{seen(text)}</p>}
      {way && <p class="actions"><a class="button primary" href={way.href}>{way.words}</a></p>}
    </>
  );
}
