import { useState } from 'preact/hooks';
import type { ChangeSetHead } from 'belfry-client/wire';
import { owner } from '../inbox/store';
import { useKeys } from '../parts/keys';
import { Ago, Empty, State, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { useReading } from '../parts/use_reading';
import { VirtualList } from '../parts/virtual_list';
import { go, narrow, route } from '../route';
import { Choices, Head, Search } from '../shell/head';
import { SetView } from './set_view';
import { allSets, openSets, readAllSets, readOpenSets } from './store';
import { changed, countWords, sizeOf } from './words';

export function ChangesPage() {
  const { id, query } = route.value;
  const isAll = query.get('state') === 'all';
  const [text, setText] = useState('');
  const user = owner.value;
  const { value: isWhole, trouble, again } = useReading(async () => {
    if (user === null) return null;
    if (isAll) return readAllSets(user);
    await readOpenSets(user);
    return true;
  }, [user, isAll]);
  const wanted = text.toLowerCase();
  // One that is looked at stays in the list when it is decided.
  const waiting = openSets();
  const sets = (isAll ? allSets() : allSets().filter((one) => one.state === 'open' || one.id === id)).filter((one) => `${one.agent_name} ${one.agent_id} ${one.id}`.toLowerCase().includes(wanted));
  const at = sets.findIndex((one) => one.id === id);
  const kept = { state: isAll ? 'all' : null };
  const move = (by: number) => {
    const next = sets[Math.min(sets.length - 1, Math.max(0, at + by))];
    if (next) go('changes', next.id, kept);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('changes', null, kept); } });
  return (
    <>
      <Head title="Changes">
        <Choices label="State" value={isAll ? 'all' : ''} onChoose={(one) => narrow({ state: one || null })} choices={[{ value: '', label: 'Waiting', count: waiting.length }, { value: 'all', label: 'All' }]} />
        <Search label="Search changes" value={text} onInput={setText} />
      </Head>
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Proposals">
          {trouble && <Trouble text={trouble} retry={again} />}
          <VirtualList label="Proposals" count={sets.length} height={62} fixed current={at} keyOf={(row) => `set${sets[row]!.id}`}
            onChoose={(row) => go('changes', sets[row]!.id, kept)} row={(row) => <SetRow set={sets[row]!} />}
            empty={isWhole !== null && <Empty title={text ? 'Nothing matches' : isAll ? 'No agent has proposed anything yet' : 'Nothing waits for you'}>{!text && <>What agents propose instead of doing it waits here: an <a href="#/agents">agent’s</a> page says of which tools.</>}</Empty>} />
          {isWhole === false && <p class="list-foot">These are the oldest. <code>belfry change list --all</code> has more.</p>}
        </section>
        <section class="detail" aria-label="One proposal">
          {id ? <SetView key={id} id={id} kept={kept} /> : sets.length > 0 && <Empty title="Choose a proposal"><kbd>j</kbd> and <kbd>k</kbd> go through them.</Empty>}
        </section>
      </div>
    </>
  );
}

function SetRow({ set }: { set: ChangeSetHead }) {
  return (
    <div class={`item set-item ${set.state}`}>
      <p class="item-title"><span><strong>{seen(set.agent_name)}</strong> proposes {changed(sizeOf(set))}</span><Ago at={set.created_at} /></p>
      <p class="item-second"><State of={set.state === 'open' ? 'waiting' : 'decided'} /><span class="item-text">{countWords(set)}</span></p>
    </div>
  );
}
