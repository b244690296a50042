import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { token } from '../access';
import { AgentsPage } from '../agents/page';
import { ChangesPage } from '../changes/page';
import { ConversationPage } from '../conversation/page';
import { DayPage } from '../day/page';
import { DevicesPage } from '../devices/page';
import { JournalPage } from '../entries/page';
import { InboxPage } from '../inbox/page';
import { unread } from '../inbox/store';
import { Toasts } from '../inbox/toasts_view';
import { isOfJournal, journal, useJournalState } from '../journal/state';
import { LedgerPage } from '../ledger/page';
import { OverviewPage } from '../overview/page';
import { useKeys } from '../parts/keys';
import { type Page, PAGES, go, keyOf, route } from '../route';
import { RunsPage } from '../runs/page';
import { SubscribersPage } from '../subscribers/page';
import { TasksPage } from '../tasks/page';
import { TimePage } from '../time/page';
import { TimersPage } from '../timers/page';
import { WakesPage } from '../wakes/page';
import { Help } from './help';
import { Rail, TITLES } from './rail';
import { SignIn } from './sign_in';

const VIEWS: Record<Page, FunctionComponent> = {
  inbox: InboxPage, conversation: ConversationPage, changes: ChangesPage, agents: AgentsPage, wakes: WakesPage, timers: TimersPage, runs: RunsPage, ledger: LedgerPage, subscribers: SubscribersPage, overview: OverviewPage, devices: DevicesPage,
  tasks: TasksPage, day: DayPage, time: TimePage, journal: JournalPage,
};

export function App() {
  return token.value ? <Inside key={token.value} /> : <SignIn />; // nothing that a page holds is for whoever signs in next
}

function Inside() {
  const [isHelping, setHelping] = useState(false);
  const { page, id } = route.value;
  const waiting = unread.value;
  useEffect(() => { document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${TITLES[page]} · Belfry`; }, [page, waiting]);
  useJournalState();
  useKeys({
    '?': () => setHelping(true),
    '/': () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    ...Object.fromEntries(PAGES.filter((page) => !isOfJournal(page) || journal.value?.enabled).map((name) => [`g ${keyOf(name)}`, () => go(name)])),
  });
  const View = VIEWS[page];
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <Rail onHelp={() => setHelping(true)} />
      <main id="main" tabIndex={-1} class={`page ${page}${id ? ' opened' : ''}`}><View /></main>
      <Toasts />
      {isHelping && <Help onClose={() => setHelping(false)} />}
    </div>
  );
}
