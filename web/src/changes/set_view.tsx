// All that an agent proposed in one wake, call by call, and the person's word on each.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChangeSet } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { FormDialog } from '../parts/form_dialog';
import { Icon } from '../parts/icons';
import { State, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { hrefOf } from '../route';
import { ItemView } from './item_view';
import { headOf, takeSets } from './store';
import { changed, countWords, progressOf, sizeOf, toolWords } from './words';

export type Word = 'accept' | 'reject';

const decide = (word: Word, id: string, item?: number) => (word === 'accept' ? belfry().acceptChanges(id, item) : belfry().rejectChanges(id, item));

export function SetView({ id, kept }: { id: string; kept: Record<string, string | null> }) {
  const [answered, setAnswered] = useState<ChangeSet | null>(null);
  const { value, trouble, again, nudge } = useReading(() => belfry().changeSet(id), [id]);
  const set = answered && (!value || progressOf(answered) > progressOf(value)) ? answered : value;
  const head = headOf(id);
  const isBehind = set && head && progressOf(head) > progressOf(set) ? progressOf(head) : 0;
  useEffect(() => { if (isBehind) nudge(); }, [isBehind]);
  useEffect(() => { if (value) takeSets([value]); }, [value]);
  if (!set) return trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>;
  const take = (came: ChangeSet) => {
    setAnswered(came);
    takeSets([came]);
  };
  return <OneSet set={set} kept={kept} take={take} nudge={nudge} />;
}

interface Props { set: ChangeSet; kept: Record<string, string | null>; take: (set: ChangeSet) => void; nudge: () => void }

function OneSet({ set, kept, take, nudge }: Props) {
  const [asked, setAsked] = useState<Word | null>(null);
  const [busy, setBusy] = useState<number | null>(null);
  const [trouble, setTrouble] = useState<{ item: number; text: string } | null>(null);
  const [news, setNews] = useState('');
  const box = useRef<HTMLElement>(null);
  const focusAfter = useRef<number | null>(null);
  const open = set.counts.proposed;

  // The button that was pressed is gone: the keyboard goes on to what is open next, or to the head.
  useLayoutEffect(() => {
    const after = focusAfter.current;
    if (after === null || asked !== null) return; // a question keeps it until it is gone
    focusAfter.current = null;
    const next = set.items.find((one) => one.state === 'proposed' && one.number > after) ?? set.items.find((one) => one.state === 'proposed');
    const to = next ? box.current!.querySelector<HTMLElement>(`[data-item='${next.number}'] button`) : box.current!.querySelector('h2');
    to?.focus();
  }, [open, asked]);

  const say = async (word: Word, item: number) => {
    setTrouble(null);
    setBusy(item);
    try {
      const came = await decide(word, set.id, item);
      const decided = came.items.find((one) => one.number === item)!;
      focusAfter.current = item;
      take(came);
      setNews(`${toolWords(seen(decided.tool_name))}: ${decided.state}.`);
    } catch (failure) {
      setTrouble({ item, text: words(failure) });
      nudge(); // somebody else may have been faster
    }
    setBusy(null);
  };
  const sayOfAll = (word: Word) => async () => {
    const came = await decide(word, set.id);
    focusAfter.current = 0;
    take(came);
    setNews(`${countWords(came)}.`);
  };
  return (
    <article class="record change-set" ref={box}>
      <a class="back" href={hrefOf('changes', null, kept)}><Icon name="back" />Changes</a>
      <header>
        <h2 tabIndex={-1}>{seen(set.agent_name)} proposes {changed(sizeOf(set))}</h2>
        <p class="facts"><State of={set.state === 'open' ? 'waiting' : 'decided'} /><span>{countWords(set)}</span><time dateTime={set.created_at}>{moment(set.created_at)}</time>
          <a href={hrefOf('agents', set.agent_id)}>Agent</a>
          <a href={hrefOf('wakes', set.wake_id)}>Wake #{set.wake_id}</a>
          {set.run_id !== null && <a href={hrefOf('runs', set.run_id)}>Run #{set.run_id}</a>}
          {set.session_id && <a href={hrefOf('conversation', set.session_id)}>{seen(set.session_id)}</a>}</p>
      </header>
      <p class="sr" role="status">{news}</p>
      {open > 1 && (
        <p class="actions" role="group" aria-label="All that is open">
          <button type="button" class="primary" onClick={() => setAsked('accept')}>Accept all {open}</button>
          <button type="button" onClick={() => setAsked('reject')}>Reject all {open}</button>
        </p>
      )}
      <ol class="proposals">
        {set.items.map((item) => <ItemView key={item.number} item={item} isBusy={busy === item.number} trouble={trouble?.item === item.number ? trouble.text : null} say={(word) => void say(word, item.number)} />)}
      </ol>
      {asked === 'accept' && (
        <FormDialog title={`Accept all ${open}?`} deed="Accept all" leave="Not yet" send={sayOfAll('accept')} onClose={() => setAsked(null)}>
          <p>They are done now, one after the other, in the name of {seen(set.agent_name)}. What cannot be done any more fails, and the others are done all the same.</p>
        </FormDialog>
      )}
      {asked === 'reject' && (
        <FormDialog title={`Reject all ${open}?`} deed="Reject all" leave="Not yet" isDanger send={sayOfAll('reject')} onClose={() => setAsked(null)}>
          <p>None of them is done, and {seen(set.agent_name)} is told. That cannot be taken back.</p>
        </FormDialog>
      )}
    </article>
  );
}
