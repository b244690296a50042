// Whether there is a journal, whether it holds anything, and which timer runs: the pages of the journal show once there is something to see.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Page } from '../route';
import { stateOfJournal } from './calls';
import type { JournalState } from './records';
import { useJournal } from './use_journal';

const LOOK_MS = 10_000;

/** Null: not known yet. */
export const journal = signal<JournalState | null>(null);

export const JOURNAL_PAGES: readonly Page[] = ['tasks', 'day', 'time', 'journal'];
export const isOfJournal = (page: Page) => JOURNAL_PAGES.includes(page);
export const isJournalShown = () => journal.value?.enabled === true && journal.value.holds_anything;

/** Once for the app. */
export function useJournalState() {
  const isAwaited = journal.value?.enabled === true && !journal.value.holds_anything;
  const { value } = useJournal(stateOfJournal, [], isAwaited ? LOOK_MS : 0);
  useEffect(() => { journal.value = value; }, [value]);
  useEffect(() => () => { journal.value = null; }, []);
}
