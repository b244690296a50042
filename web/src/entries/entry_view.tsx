// One entry: its text and its category are changed where they stand; what it is stays.
import { useRef, useState } from 'preact/hooks';
import { change, remove } from '../journal/calls';
import { EditChoice, EditText } from '../journal/edit_view';
import { type Names, optionsOf } from '../journal/names';
import type { Entry } from '../journal/records';
import { Saver } from '../journal/saver';
import { useEdit } from '../journal/use_edit';
import { touch } from '../journal/use_journal';
import { spentWords } from '../journal/words';
import { FormDialog } from '../parts/form_dialog';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { go } from '../route';
import { kindWords, recordWords } from './found';

type Back = Record<string, string>;

/** What an entry of its type has beside its text, in words; what is empty is left out. */
function factsOf(entry: Entry): [string, string][] {
  const all: [string, string | null | undefined][] = [
    ['Kind', entry.workout_type?.replaceAll('_', ' ')],
    ['Began', entry.started_at && moment(entry.started_at)],
    ['Ended', entry.ended_at && moment(entry.ended_at)],
    ['Lasted', entry.duration_s == null ? null : spentWords(entry.duration_s * 1000)],
    ['Distance', entry.distance_m == null ? null : `${(entry.distance_m / 1000).toLocaleString('en-GB', { maximumFractionDigits: 2 })} km`],
    ['Energy', entry.energy_kcal == null ? null : `${entry.energy_kcal} kcal`],
    ['Recording', entry.audio_uri],
    ['Model', entry.model_id],
    ['Asked', entry.prompt],
  ];
  return all.filter((one): one is [string, string] => Boolean(one[1]));
}

export function EntryView({ entry, names }: { entry: Entry; names: Names }) {
  const saver = useRef(new Saver<Entry>()).current;
  const save = (patch: (value: string) => Partial<Entry>) => (value: string, seen: number) => saver.save(seen, (revision) => change('entry', entry.id, { ...patch(value), revision }));
  const text = useEdit(entry.text ?? '', entry.revision, save((value) => ({ text: value || null })));
  const category = useEdit(entry.category_id, entry.revision, save((value) => ({ category_id: value })));
  const facts = factsOf(entry);
  return (
    <>
      <header><h2 class="sr">{recordWords(entry)}</h2><p class="facts"><strong>{kindWords(entry)}</strong><span>{moment(entry.started_at ?? entry.created_at)}</span></p></header>
      <EditText label="Text" edit={text} placeholder="What there is to say about it" />
      {facts.length > 0 && <dl class="particulars">{facts.map(([name, words]) => <div key={name}><dt>{name}</dt><dd class="said">{seen(words)}</dd></div>)}</dl>}
      <div class="properties"><EditChoice label="Category" edit={category} options={optionsOf(names.categories)} /></div>
    </>
  );
}

export function DeleteEntry({ entry, back }: { entry: Entry; back: Back }) {
  const [isAsking, setAsking] = useState(false);
  const send = async () => {
    await remove('entry', entry.id);
    touch();
    go('journal', null, back);
  };
  return (
    <p class="actions">
      <button type="button" class="danger" onClick={() => setAsking(true)}>Delete entry</button>
      {isAsking && <FormDialog title="Delete this entry?" deed="Delete it" isDanger send={send} onClose={() => setAsking(false)}><p>That cannot be taken back.</p></FormDialog>}
    </p>
  );
}
