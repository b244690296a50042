// An agent's memory: what it remembers in the order of time, what of it stands in its context, and how it is folded.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MemoryChoice } from 'belfry-client/wire';
import { nameOf } from '../agents/names';
import { hasWord } from '../journal/words';
import { Icon } from '../parts/icons';
import { useKeys } from '../parts/keys';
import { Ago, Empty, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { Select } from '../parts/select';
import { useReading } from '../parts/use_reading';
import { go, hrefOf, narrow, route } from '../route';
import { Head, Search } from '../shell/head';
import { useWakeNews } from '../wakes/use_news';
import { Context } from './context';
import { Folds } from './folds';
import { ForgetDialog, type Wish } from './forget';
import { MessageDialog } from './message_view';
import { type Mind, readMind } from './mind';
import { Found } from './search';
import { MemoryTimeline } from './timeline';
import { many, sessionOf, threadWords } from './words';

const LOOK_MS = 5000;

const entries = () => [...document.querySelectorAll<HTMLElement>('.memory [data-entry]')];

/** The entry that has the focus, and the one so many after it. */
function move(by: number) {
  const all = entries();
  const at = all.findLastIndex((one) => one.contains(document.activeElement));
  all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
}

function openFocused() {
  const at = document.activeElement;
  if (at instanceof HTMLElement && at.dataset.entry) at.querySelector<HTMLElement>('[data-open]')?.click();
}

export function MemoryPage({ id }: { id: string }) {
  const { query } = route.value;
  const thread = query.get('thread');
  const text = query.get('q') ?? '';
  const life = query.get('life');
  const [pages, setPages] = useState(1);
  const [wish, setWish] = useState<Wish | null>(null);
  const [news, setNews] = useState('');
  const [stamp, setStamp] = useState(0);
  const { value, trouble, again, nudge } = useReading(() => readMind(id, thread, pages), [id, thread], LOOK_MS);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) again();
    isFirst.current = false;
  }, [pages]);
  useEffect(() => setPages(1), [thread]);
  useWakeNews(nudge, (wake) => wake.agent_id === id);
  useKeys({ j: () => move(1), k: () => move(-1), Enter: openFocused, Escape: () => { if (text) narrow({ q: null }); else go('agents', id, { life }); } });
  const title = useFocusAfter(wish !== null);
  const known = useRef(seen(id)); // while another thread is read, it is called as before
  if (value) known.current = nameOf(value.agent);
  const forgotten = (said: string) => {
    setNews(said);
    setStamp(stamp + 1);
    if (wish && 'thread_id' in wish && wish.thread_id === thread) narrow({ thread: null });
    else again();
  };
  const choices = (value?.threads ?? []).map((one) => ({ value: one.thread_id, label: seen(threadWords(id, one.thread_id)) }));
  if (thread && !choices.some((one) => one.value === thread)) choices.push({ value: thread, label: seen(threadWords(id, thread)) });
  return (
    <>
      <Head title="Memory">
        <Select label="Thread" all="Where it spoke last" choices={choices} value={thread ?? ''} onChoose={(one) => narrow({ thread: one || null })} />
        <Search label="Search its memory" value={text} onInput={(q) => narrow({ q: q || null })} />
      </Head>
      <div class="sheet memory">
        <a class="back" href={hrefOf('agents', id, { life })}><Icon name="back" />{known.current}</a>
        <header>
          <h2 ref={title} tabIndex={-1}>What {known.current} remembers</h2>
          <p role="status" class="quiet">{news}</p>
        </header>
        {trouble && <Trouble text={trouble} retry={again} />}
        {!value && !trouble && <p class="reading">Reading…</p>}
        {value && <Remembered mind={value} text={text} kind={query.get('kind') ?? ''} thread={thread} stamp={stamp} tell={setNews} forget={setWish} again={again} earlier={() => setPages(pages + 1)} />}
      </div>
      {wish && <ForgetDialog agent={id} name={known.current} wish={wish} thread={'thread_id' in wish ? value?.threads.find((one) => one.thread_id === wish.thread_id) : undefined} onDone={forgotten} onClose={() => setWish(null)} />}
    </>
  );
}

/** Where the focus goes after a question: what was pressed may be gone, and before the question is, nothing else takes it. */
function useFocusAfter(isAsking: boolean) {
  const place = useRef<HTMLHeadingElement>(null);
  const wasAsking = useRef(false);
  useLayoutEffect(() => {
    if (wasAsking.current && !isAsking) place.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  return place;
}

interface Props { mind: Mind; text: string; kind: string; thread: string | null; stamp: number; tell: (news: string) => void; forget: (wish: Wish) => void; again: () => void; earlier: () => void }

function Remembered({ mind, text, kind, thread, stamp, tell, forget, again, earlier }: Props) {
  const [opened, setOpened] = useState<string | null>(null);
  const { agent, told, threads, summaries, hot } = mind;
  const isEmpty = threads.length === 0 && summaries.length === 0 && hot.length === 0;
  const show = (choice: MemoryChoice) => {
    const there = choice.part === 'carried' ? undefined : entries().find((one) => one.dataset.entry === choice.id);
    if (there) there.focus();
    else if (choice.part !== 'summary') setOpened(choice.id);
  };
  const forgetOpened = (said: string) => {
    forget({ message_id: opened!, said });
    setOpened(null);
  };
  return (
    <div class="memory-columns">
      <div class="memory-side">
        <Context mind={mind} show={show} open={setOpened} />
        {told.thread_id && <Thread mind={mind} forget={() => forget({ thread_id: told.thread_id })} />}
        <Folds agent={agent.id} thread={told.thread_id} tell={tell} onChange={again} />
      </div>
      {hasWord(text) ? <Found agent={agent.id} text={text} kind={kind} thread={thread} stamp={stamp} open={setOpened} />
        : isEmpty ? <Empty title="It remembers nothing yet">What it is told, thinks and does stands here once it was woken.</Empty>
          : <MemoryTimeline mind={mind} open={setOpened} earlier={earlier} />}
      {opened && <MessageDialog agent={agent.id} id={opened} forget={forgetOpened} onClose={() => setOpened(null)} />}
    </div>
  );
}

function Thread({ mind: { agent, told, threads, hasMoreThreads }, forget }: { mind: Mind; forget: () => void }) {
  const row = threads.find((one) => one.thread_id === told.thread_id);
  const session = sessionOf(agent.id, told.thread_id);
  return (
    <section aria-label="This thread">
      <h3>This thread</h3>
      <p>{session ? <>session <a href={hrefOf('conversation', session)}>{seen(session)}</a></> : seen(threadWords(agent.id, told.thread_id))}</p>
      {row ? (
        <p class="facts"><span>{many(row.messages, 'message')}</span><span>{row.hot_messages.toLocaleString('en-GB')} hot, {many(row.hot_tokens, 'token')}</span><span>last <Ago at={row.last_at} /></span>{row.is_closed && <span>closed</span>}</p>
      ) : <p class="quiet">Nothing was said in it.</p>}
      {hasMoreThreads && <p class="quiet">The newest {threads.length} threads can be chosen; <code>belfry memory threads {seen(agent.id)}</code> has all.</p>}
      {row && <p><button type="button" class="danger" onClick={forget}>Forget this thread…</button></p>}
    </section>
  );
}
