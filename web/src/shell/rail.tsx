// The way to the pages, at the side, or at the foot of a phone.
import { useEffect, useRef } from 'preact/hooks';
import { openSets } from '../changes/store';
import { openQuestions } from '../conversation/questions';
import { unread } from '../inbox/store';
import { JOURNAL_PAGES, isJournalShown, isOfJournal } from '../journal/state';
import { Icon } from '../parts/icons';
import { type Page, PAGES, hrefOf, route } from '../route';
import { Connection } from './connection_view';
import { nextTheme, theme } from './theme';

export const TITLES: Record<Page, string> = {
  inbox: 'Inbox', conversation: 'Conversation', changes: 'Changes', agents: 'Agents', wakes: 'Wakes', timers: 'Timers', runs: 'Runs', ledger: 'Ledger', subscribers: 'Subscribers', overview: 'Overview', devices: 'Devices',
  tasks: 'Tasks', day: 'Day plan', time: 'Time', journal: 'Journal',
};

/** At the foot of a phone. */
const SHORT: Partial<Record<Page, string>> = { conversation: 'Talk', changes: 'Edits', subscribers: 'Subs', overview: 'Charts', day: 'Day' };

const BADGES: Partial<Record<Page, string>> = { inbox: 'unread', conversation: 'waiting for your answer', changes: 'waiting for your word' };

const THEME_ICON = { auto: 'auto', light: 'sun', dark: 'moon' };

function badge(page: Page): number {
  if (page === 'inbox') return unread.value;
  if (page === 'changes') return openSets().length;
  return page === 'conversation' ? openQuestions().length : 0;
}

export function Rail({ onHelp }: { onHelp: () => void }) {
  const nav = useRef<HTMLElement>(null);
  const shown = PAGES.filter((page) => !isOfJournal(page) || isJournalShown());
  // The foot of a phone has not room for all.
  useEffect(() => { nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }); }, [route.value.page, shown.length]);
  return (
    <div class="rail">
      <a class="brand" href={hrefOf('inbox')} aria-label="Belfry">
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false"><path class="tower" d="M6.500 13.500 16 5l9.500 8.500M9 12v14.500h14V12" /><path class="brass" d="M12.500 21.500c1.200-1 1.200-2.300 1.200-3.600a2.300 2.300 0 0 1 4.600 0c0 1.300 0 2.600 1.200 3.600zm3.500 2.700v.1" /></svg>
        <span>Belfry</span>
      </a>
      <nav aria-label="Pages" ref={nav}>
        <ul>
          {shown.map((page) => {
            const count = badge(page);
            return (
              <li key={page} class={page === JOURNAL_PAGES[0] ? 'parted' : undefined}>
                <a href={hrefOf(page)} aria-current={route.value.page === page ? 'page' : undefined}>
                  <Icon name={page} />
                  <span class="name">{TITLES[page]}</span><span class="short" aria-hidden="true">{SHORT[page] ?? TITLES[page]}</span>
                  {count > 0 && <span class={`badge${page === 'inbox' ? '' : ' asks'}`} aria-label={`${count} ${BADGES[page]}`}>{count > 9999 ? '9999+' : count}</span>}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <div class="rail-foot">
        <Connection />
        <button type="button" class="plain" onClick={nextTheme} aria-label={`Colours: ${theme.value}. Change`} title={`Colours: ${theme.value}`}><Icon name={THEME_ICON[theme.value]} /></button>
        <button type="button" class="plain" onClick={onHelp} aria-label="Keys and help" title="Keys (?)"><Icon name="help" /></button>
      </div>
    </div>
  );
}
