// The time that was spent on a task.
import { allOf } from '../journal/calls';
import type { Task } from '../journal/records';
import { journal } from '../journal/state';
import { startTimer, stopTimer } from '../journal/timer';
import { useDeed } from '../journal/use_deed';
import { useJournal } from '../journal/use_journal';
import { dateOf, dayWords, hourWords, spentOn, spentWords } from '../journal/words';
import { Elapsed, Trouble, minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { hrefOf } from '../route';

const SHOWN = 5;

export function Spent({ task }: { task: Task }) {
  const { value, trouble, again } = useJournal(() => allOf('time_entry', { task: task.id }), [task.id]);
  const { isBusy, trouble: refused, act } = useDeed();
  const running = journal.value?.running;
  const isRunning = running?.task_id === task.id;
  const entries = [...(value ?? [])].sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  const sum = entries.reduce((all, one) => all + spentOn(one, minute.value), 0);
  const estimate = task.estimate_min === null ? null : task.estimate_min * 60_000;
  return (
    <section aria-label="Time">
      <div class="section-head"><h3>Time</h3><a href={hrefOf('time')}>All time</a></div>
      <div class="spent">
        <p><strong class="number">{spentWords(sum)}</strong>{estimate !== null && <span class={sum > estimate ? 'bad' : 'quiet'}> of {spentWords(estimate)}</span>}</p>
        {isRunning
          ? <button type="button" class="primary" disabled={isBusy} onClick={() => void act(() => stopTimer(running))}>Stop <Elapsed since={running.started_at} /></button>
          : <button type="button" disabled={isBusy} onClick={() => void act(() => startTimer({ task_id: task.id }))}>Start{running ? ', and stop what runs' : ''}</button>}
      </div>
      {(trouble ?? refused) && <Trouble text={(trouble ?? refused)!} retry={again} />}
      <ul class="spans">
        {entries.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <span class="number">{dayWords(dateOf(Date.parse(one.started_at)), minute.value)}, {hourWords(Date.parse(one.started_at))}–{one.ended_at ? hourWords(Date.parse(one.ended_at)) : 'now'}</span>
            <span class="grow quiet">{seen(one.note ?? '')}</span><span class="number">{spentWords(spentOn(one, minute.value))}</span>
          </li>
        ))}
      </ul>
      {entries.length > SHOWN && <p class="quiet">And {entries.length - SHOWN} earlier.</p>}
    </section>
  );
}
