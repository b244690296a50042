import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session } from 'belfry-client/wire';
import { Icon } from '../parts/icons';
import { Empty, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { count } from '../parts/time';
import { go, hrefOf, route } from '../route';
import { Allowances } from './allowances_view';
import { forgetSending, outbox } from './outbox';
import { Question } from './question';
import { openQuestions, questions } from './questions';
import { MessageView, Pill } from './said';
import { saidIn } from './shapes';
import { Speak } from './speak';
import { isBranched } from './tree';
import { Tree } from './tree_view';
import { useHistory } from './use_history';

export function Talk({ id }: { id: string }) {
  const leaf = route.value.query.get('node');
  const { session, path, earlier, tree, waiting, allowing, isLost, isDeleted, trouble } = useHistory(id, leaf);
  const [isTreeOpen, setTreeOpen] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const asked = [...questions.value.values()].filter((one) => one.session_id === id);
  const known = useMemo(() => new Set(path.flatMap((node) => node.messages.map((message) => message.id))), [path]);
  const mine = outbox.value.filter((one) => one.session === id);
  const unheard = mine.filter((one) => one.message === null || !known.has(one.message));
  const received = new Set(mine.map((one) => one.message).filter((one) => one !== null));

  // A message that has its place in the conversation is not on its way any more; its receipt is told for a while.
  useEffect(() => {
    const timers = mine.filter((one) => one.message !== null && known.has(one.message)).map((one) => setTimeout(() => forgetSending(one.id), 20_000));
    return () => timers.forEach(clearTimeout);
  }, [known]);

  useLayoutEffect(() => {
    if (isAtEnd.current && end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [path, unheard.length, asked.length]);

  const hasBranches = useMemo(() => isBranched(tree), [tree]);
  return (
    <section class={`talk${isTreeOpen ? ' with-tree' : ''}`} aria-label="Conversation">
      <header class="talk-head">
        <a class="back" href={hrefOf('conversation')}><Icon name="back" /><span class="sr">All conversations</span></a>
        <div><h2>{session?.title || id}</h2>{session && <Progress session={session} waiting={waiting.items} />}</div>
        <button type="button" class="quiet-button" aria-expanded={isTreeOpen} onClick={() => setTreeOpen(!isTreeOpen)}><Icon name="branch" />{hasBranches ? 'Branches' : 'Tree'}</button>
      </header>
      {trouble && <Trouble text={trouble} />}
      <div class="talk-top">
        {isLost && <p class="talk-news" role="status">Reconnecting… What is said meanwhile will be here.</p>}
        {isDeleted && <p class="talk-news" role="status">This conversation was deleted.</p>}
        <Elsewhere id={id} />
      </div>
      <div class="said-list" ref={end} tabIndex={0} role="log" aria-label="Messages"
        onScroll={(event) => { const at = event.currentTarget; isAtEnd.current = at.scrollTop + at.clientHeight >= at.scrollHeight - 40; }}>
        {earlier && <p class="earlier"><button type="button" class="link" onClick={() => { isAtEnd.current = false; void earlier(); }}>Show what was before</button></p>}
        {session && path.every((node) => saidIn(node).length === 0) && unheard.length === 0 && asked.length === 0 && <Empty title="Nothing was said yet" />}
        {path.map((node) => (
          <div key={node.id} class="node" data-node={node.id}>
            {saidIn(node).map((said) => (said.kind === 'system'
              ? <Pill key={said.message.id} message={said.message} />
              : <MessageView key={said.message.id} message={said.message} isReceived={received.has(said.message.id)} isWaiting={waiting.messages.has(said.message.id)} />))}
          </div>
        ))}
        {asked.map((one) => <Question key={one.id} question={one} />)}
      </div>
      {!isDeleted && <Allowances session={id} allowing={allowing} onLast={() => end.current?.focus()} />}
      {!isDeleted && <Speak session={id} sending={unheard} />}
      {isTreeOpen && <Tree nodes={tree} leaf={leaf ?? (session?.head as string | null) ?? null} head={(session?.head as string | null) ?? null}
        onChoose={(node) => go('conversation', id, { node })} onClose={() => setTreeOpen(false)} />}
    </section>
  );
}

/** What is asked in other conversations: on a phone nothing else would tell. */
function Elsewhere({ id }: { id: string }) {
  const asked = openQuestions().filter((one) => one.session_id !== id);
  const first = asked[0];
  return (
    <div aria-live="polite">
      {first && <p class="talk-asks"><span>{asked.length > 1 ? `${asked.length} questions wait elsewhere: ` : 'A question waits elsewhere: '}{seen(first.message)}</span><a href={hrefOf('conversation', first.session_id)}>Open</a></p>}
    </div>
  );
}

function Progress({ session, waiting }: { session: Session; waiting: number }) {
  const { progress, budget } = session;
  const parts = [
    progress.in_turn ? `turn ${progress.turn}, at work` : progress.turn > 0 ? `after turn ${progress.turn}` : null,
    budget.tokens ? `${count(progress.tokens_used)} of ${count(budget.tokens)} tokens` : progress.tokens_used > 0 ? `${count(progress.tokens_used)} tokens` : null,
    waiting > 0 ? `${waiting} ${waiting === 1 ? 'notification waits' : 'notifications wait'} for its next turn` : null,
  ].filter(Boolean);
  return <p class="quiet">{[session.agent_id, ...parts].filter(Boolean).join(' · ') || 'no turn yet'}</p>;
}
