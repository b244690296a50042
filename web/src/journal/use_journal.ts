// What a page shows of the journal is read again whenever something of it was changed: here, in another tab, by an agent, by a program.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { owner } from '../inbox/store';
import { useNews } from '../parts/use_news';
import { type Reading, useReading } from '../parts/use_reading';

const LOOK_MS = 10_000; // the stream of changes tells; this is for when it cannot

const turn = signal(0);

/** Something was changed: all that shows the journal is read again. */
export function touch() {
  ++turn.value;
}

const isAgents = (kind: string) => kind === 'agent' || kind.startsWith('agent_');

/** Once for each page of the journal. */
export function useChanges() {
  useNews(owner.value && `changes:${owner.value}`, touch, (event) => event.type === 'change_batch' && event.changes.some((one: { kind: string }) => !isAgents(one.kind)));
}

/** A reading that is made again with every change. */
export function useJournal<T>(read: () => Promise<T>, on: unknown[], everyMs = LOOK_MS): Reading<T> {
  const reading = useReading(read, on, everyMs);
  const present = turn.value;
  const known = useRef(present);
  useEffect(() => {
    if (known.current === present) return;
    known.current = present;
    reading.nudge();
  }, [present]);
  return reading;
}
