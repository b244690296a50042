import { useEffect, useState } from 'preact/hooks';
import type { Session } from 'belfry-client/wire';
import { useKeys } from '../parts/keys';
import { whenLookedAt } from '../parts/looked_at';
import { Ago, Empty, Trouble } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { go, hrefOf, route } from '../route';
import { Head, Search } from '../shell/head';
import { openQuestions } from './questions';
import { deletions, newestFirst, opened, pauseAfter, readSessions } from './sessions';
import { Talk } from './talk';

const SHOWN_MAX = 300;

const nameOf = (session: Session) => session.title || session.id;

export function ConversationPage() {
  const { id } = route.value;
  const [text, setText] = useState('');
  const [everyMs, setEveryMs] = useState(pauseAfter(null));
  const { value, trouble, again } = useReading(readSessions, [], everyMs);
  useEffect(() => setEveryMs(pauseAfter(value)), [value]);
  const sessions = newestFirst(value?.all ?? [], opened.value, text.toLowerCase());
  // What the lines that are open tell of it anyway: one that is not in the list, or not any more.
  const heardOf = [...openQuestions().map((one) => one.session_id), opened.value?.id];
  const isMissing = value !== null && heardOf.some((one) => one !== undefined && !value.all.some((known) => known.id === one));
  useEffect(() => { if (isMissing || deletions.value > 0) void whenLookedAt().then(again); }, [isMissing, deletions.value]);
  const at = sessions.findIndex((one) => one.id === id);
  const move = (by: number) => {
    const next = sessions[Math.min(sessions.length - 1, Math.max(0, at + by))];
    if (next) go('conversation', next.id);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('conversation'); } });
  return (
    <>
      <Head title="Conversation"><Search label="Search conversations" value={text} onInput={setText} /></Head>
      <div class={`talks${id ? ' opened' : ''}`}>
        <nav class="sessions" aria-label="Conversations">
          {trouble && <Trouble text={trouble} retry={again} />}
          {value && sessions.length === 0 && <Empty title={text ? 'Nothing matches' : 'No conversation yet'} />}
          <ul>{sessions.slice(0, SHOWN_MAX).map((session) => <SessionLink key={session.id} session={session} isOpen={session.id === id} />)}</ul>
          {sessions.length > SHOWN_MAX && <p class="sessions-foot">The newest {SHOWN_MAX} of {sessions.length}{value?.hasMore ? ' that were looked at; there are more' : ''}. Search finds the others.</p>}
        </nav>
        {id ? <Talk key={id} id={id} /> : <section class="talk"><Empty title="Choose a conversation"><kbd>j</kbd> and <kbd>k</kbd> go through them.</Empty></section>}
      </div>
    </>
  );
}

function SessionLink({ session, isOpen }: { session: Session; isOpen: boolean }) {
  const asks = openQuestions().some((one) => one.session_id === session.id);
  return (
    <li>
      <a href={hrefOf('conversation', session.id)} aria-current={isOpen ? 'true' : undefined}>
        <span class="session-name" title={nameOf(session)}>{nameOf(session)}</span><Ago at={session.updated_at} />
        <span class="session-of">{[session.agent_id, session.user_id].filter(Boolean).join(' · ')}</span>
        {asks ? <span class="asks">asks you</span> : session.progress?.in_turn && <span class="in-turn">at work</span>}
      </a>
    </li>
  );
}
