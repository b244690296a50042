import { useState } from 'preact/hooks';
import type { Session } from 'belfry-client/wire';
import { belfry } from '../access';
import { useKeys } from '../parts/keys';
import { Ago, Empty, Trouble } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { go, hrefOf, route } from '../route';
import { Head, Search } from '../shell/head';
import { questions } from './questions';
import { Talk } from './talk';

const SESSIONS_MAX = 1000;
const LOOK_MS = 3000;

const nameOf = (session: Session) => session.title || session.id;

export function ConversationPage() {
  const { id } = route.value;
  const [text, setText] = useState('');
  const { value, trouble, again } = useReading(() => belfry().sessions({ limit: SESSIONS_MAX }), [], LOOK_MS);
  const wanted = text.toLowerCase();
  const sessions = (value?.data ?? [])
    .filter((one) => `${one.title ?? ''} ${one.id} ${one.user_id ?? ''} ${one.agent_id ?? ''}`.toLowerCase().includes(wanted))
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
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
          <ul>{sessions.slice(0, 300).map((session) => <SessionLink key={session.id} session={session} isOpen={session.id === id} />)}</ul>
        </nav>
        {id ? <Talk key={id} id={id} /> : <section class="talk"><Empty title="Choose a conversation"><kbd>j</kbd> and <kbd>k</kbd> go through them.</Empty></section>}
      </div>
    </>
  );
}

function SessionLink({ session, isOpen }: { session: Session; isOpen: boolean }) {
  const asks = [...questions.value.values()].some((one) => one.session_id === session.id && one.state === 'pending');
  return (
    <li>
      <a href={hrefOf('conversation', session.id)} aria-current={isOpen ? 'true' : undefined}>
        <span class="session-name">{nameOf(session)}</span><Ago at={session.updated_at} />
        <span class="session-of">{[session.agent_id, session.user_id].filter(Boolean).join(' · ')}</span>
        {asks ? <span class="asks">asks you</span> : session.progress?.in_turn && <span class="in-turn">at work</span>}
      </a>
    </li>
  );
}
