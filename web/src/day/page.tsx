import { useState } from 'preact/hooks';
import { ofJournal } from '../journal/gate';
import { useNames } from '../journal/names';
import type { PlanBlock } from '../journal/records';
import { useTasks } from '../journal/tasks';
import { dateOf, dayAfter, dayWords, isDate } from '../journal/words';
import { Icon } from '../parts/icons';
import { useKeys } from '../parts/keys';
import { Trouble, minute } from '../parts/marks';
import { go, hrefOf, route } from '../route';
import { Head } from '../shell/head';
import { BlockDialog } from './block_dialog';
import { Column } from './column';
import { DayNote } from './note';
import { Pinned } from './pinned';
import { Ratings } from './ratings';
import { usePlan } from './use_plan';

export const DayPage = ofJournal('Day plan', () => {
  const today = dateOf(minute.value);
  const date = isDate(route.value.id) ? route.value.id : today;
  const choose = (wanted: string) => { if (isDate(wanted) && wanted >= '1900') go('day', wanted); }; // a year that is being typed begins with zeros
  useKeys({ j: () => go('day', dayAfter(date, 1)), k: () => go('day', dayAfter(date, -1)) });
  return (
    <>
      <Head title="Day plan">
        <a class="button step" href={hrefOf('day', dayAfter(date, -1))} aria-label="The day before"><Icon name="back" /></a>
        <input type="date" aria-label="Day" value={date} onChange={(event) => choose(event.currentTarget.value)} />
        <a class="button step" href={hrefOf('day', dayAfter(date, 1))} aria-label="The day after"><Icon name="forth" /></a>
        {date !== today && <a class="button" href={hrefOf('day')}>Today</a>}
      </Head>
      <Day key={date} date={date} />
    </>
  );
});

/** What is open in the dialog: a block that is there, or where a new one is to begin. */
type Opened = { block: PlanBlock } | { at: number | null } | null;

function Day({ date }: { date: string }) {
  const plan = usePlan(date);
  const [opened, setOpened] = useState<Opened>(null);
  const names = useNames();
  const { part } = plan;
  const tasks = useTasks(part ? [...part.pinned_task_ids, ...part.blocks.map((one) => one.task_id)] : []);
  return (
    <div class="sheet day-sheet" tabIndex={0} role="region" aria-label={`Plan of ${date}`}>
      <section aria-label="Blocks">
        <div class="section-head"><h2>{dayWords(date, minute.value)}</h2><button type="button" onClick={() => setOpened({ at: null })}>Add a block</button></div>
        {plan.trouble && <Trouble text={plan.trouble} retry={plan.again} />}
        {plan.refusal && (
          <div class="clash" role="alert"><p>{plan.refusal.text}</p>
            <p class="actions">{plan.refusal.retry && <button type="button" onClick={plan.refusal.retry}>Do it now</button>}<button type="button" onClick={plan.forget}>Leave it</button></p></div>
        )}
        <Column date={date} plan={plan} names={names} tasks={tasks} onOpen={(block) => setOpened({ block })} onAdd={(at) => setOpened({ at })} />
        {part && part.blocks.length === 0 && <p class="quiet">Nothing is planned. Click on an hour, or: <code>belfry plan add 09:00-10:30 'Write the report'</code></p>}
      </section>
      <div class="day-side">
        <Ratings date={date} />
        <Pinned plan={plan} tasks={tasks} />
        {part && <DayNote plan={plan} part={part} />}
      </div>
      {opened && <BlockDialog date={date} plan={plan} names={names} tasks={tasks} block={'block' in opened ? opened.block : null} at={'at' in opened ? opened.at : null} onClose={() => setOpened(null)} />}
    </div>
  );
}
