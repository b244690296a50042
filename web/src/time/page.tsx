import { useState } from 'preact/hooks';
import { ofJournal } from '../journal/gate';
import type { TimeEntry } from '../journal/records';
import { type KnownTasks, useTasks } from '../journal/tasks';
import { useJournal } from '../journal/use_journal';
import { dateOf, dayAfter, dayWords, hourWords, isDate, midnight, spentIn, spentOn, spentWords, weekOf } from '../journal/words';
import { Icon } from '../parts/icons';
import { useKeys } from '../parts/keys';
import { Trouble, minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { go, hrefOf, route } from '../route';
import { Head } from '../shell/head';
import { EntryDialog } from './entry_dialog';
import { readWeek } from './read_week';
import { Running } from './running';
import { type DaySum, daysOf, tasksOf } from './week';

export const TimePage = ofJournal('Time', () => {
  const present = weekOf(dateOf(minute.value));
  const monday = isDate(route.value.id) ? weekOf(route.value.id) : present;
  const [opened, setOpened] = useState<TimeEntry | 'new' | null>(null);
  const { value, trouble, again } = useJournal(() => readWeek(monday), [monday]);
  const entries = value?.entries ?? [];
  const tasks = useTasks(entries.map((one) => one.task_id));
  const now = minute.value;
  useKeys({ j: () => go('time', dayAfter(monday, 7)), k: () => go('time', dayAfter(monday, -7)) });
  const sum = entries.reduce((all, one) => all + spentIn(one, midnight(monday), midnight(monday, 7), now), 0);
  return (
    <>
      <Head title="Time">
        <a class="button step" href={hrefOf('time', dayAfter(monday, -7))} aria-label="The week before"><Icon name="back" /></a>
        <span class="week-name">{dayWords(monday, now)} – {dayWords(dayAfter(monday, 6), now)}</span>
        <a class="button step" href={hrefOf('time', dayAfter(monday, 7))} aria-label="The week after"><Icon name="forth" /></a>
        {monday !== present && <a class="button" href={hrefOf('time')}>This week</a>}
      </Head>
      <div class="sheet time-sheet" tabIndex={0} role="region" aria-label="Time of the week">
        <Running tasks={tasks} />
        {trouble && <Trouble text={trouble} retry={again} />}
        <div class="time-columns">
          <section aria-label="Entries">
            <div class="section-head"><h2>{value ? spentWords(sum) : '…'}</h2><button type="button" onClick={() => setOpened('new')}>Add time</button></div>
            {value && !value.isWhole && <p class="clash" role="status">There are more entries than are looked through at once: some of this week may be missing, here and in the sums.</p>}
            {value?.isWhole && entries.length === 0 && <p class="quiet">Nothing in this week yet. Start a timer above, or: <code>belfry time start</code></p>}
            {daysOf(entries, monday, now).filter((one) => one.entries.length > 0 || one.sum > 0).map((one) => <Day key={one.date} day={one} tasks={tasks} onOpen={setOpened} />)}
          </section>
          {entries.length > 0 && (
            <section aria-label="Per task">
              <h3>Per task</h3>
              <ul class="task-sums">
                {tasksOf(entries, monday, now).map(({ taskId, sum: own }) => (
                  <li key={taskId ?? ''}><span class="grow">{taskId ? <a href={hrefOf('tasks', taskId)}>{titleOf(tasks, taskId)}</a> : 'Nothing in particular'}</span><span class="number">{spentWords(own)}</span>
                    <i aria-hidden="true" style={{ width: `${sum > 0 ? (own / sum) * 100 : 0}%` }} /></li>
                ))}
              </ul>
            </section>
          )}
        </div>
      </div>
      {opened && <EntryDialog entry={opened === 'new' ? null : opened} tasks={tasks} monday={monday} onClose={() => setOpened(null)} />}
    </>
  );
});

const titleOf = (tasks: KnownTasks, id: string) => seen(tasks.titles.get(id)?.title ?? id);

function Day({ day, tasks, onOpen }: { day: DaySum; tasks: KnownTasks; onOpen: (entry: TimeEntry) => void }) {
  return (
    <div class="time-day" role="group" aria-label={day.date}>
      <p class="section-head"><strong>{dayWords(day.date, minute.value)}</strong><span class="number">{spentWords(day.sum)}</span></p>
      <ul class="spans">
        {day.entries.map((one) => (
          <li key={one.id}>
            <button type="button" class="span" onClick={() => onOpen(one)}>
              <span class="number">{hourWords(Date.parse(one.started_at))}–{one.ended_at ? hourWords(Date.parse(one.ended_at)) : 'now'}</span>
              <span class="grow">{one.task_id ? titleOf(tasks, one.task_id) : seen(one.note ?? 'Nothing in particular')}{one.task_id && one.note && <span class="quiet"> {seen(one.note)}</span>}</span>
              <span class="number">{spentWords(spentOn(one, minute.value))}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
