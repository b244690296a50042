import { useEffect, useState } from 'preact/hooks';
import type { JournalFilter, TaskStatus } from 'belfry-client/wire';
import { AddLine } from '../journal/add_line';
import { change, make, someOf } from '../journal/calls';
import { ofJournal } from '../journal/gate';
import type { Gathered } from '../journal/gather';
import { CategoryMark, type Names, optionsOf, useNames } from '../journal/names';
import type { Task } from '../journal/records';
import { useDeed } from '../journal/use_deed';
import { touch, useJournal } from '../journal/use_journal';
import { OPEN_STATUSES, STATUSES, dateOf, dueWords, hasWord, isClosed } from '../journal/words';
import { useKeys } from '../parts/keys';
import { Empty, State, Trouble, minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { Select } from '../parts/select';
import { VirtualList } from '../parts/virtual_list';
import { go, narrow, route } from '../route';
import { Head, Search } from '../shell/head';
import { TaskView } from './task_view';

const PAGE = 200;
const TYPING_MS = 150;
const SHOWN = [{ value: 'due', label: 'due, soonest first' }, ...Object.entries(STATUSES).map(([value, label]) => ({ value, label })), { value: 'all', label: 'all' }];

/** Newest first, except what is due. */
async function read(pages: number, shown: string, category: string, words: string): Promise<Gathered<Task>> {
  const about = { category: category || undefined, q: hasWord(words) ? words : undefined };
  const of: JournalFilter = shown === 'due' ? { due_to: '9999-12-31' } : shown === 'all' ? {} : { status: shown ? shown as TaskStatus : OPEN_STATUSES };
  return someOf('task', { limit: PAGE, ...about, ...of }, (found) => found.length >= pages * PAGE);
}

export const TasksPage = ofJournal('Tasks', () => {
  const { id, query } = route.value;
  const shown = query.get('status') ?? '';
  const category = query.get('category') ?? '';
  const [text, setText] = useState('');
  const [pages, setPages] = useState(1);
  const { value, trouble, again } = useJournal(() => read(pages, shown, category, text), [shown, category]);
  const names = useNames();
  const finishing = useDeed();
  useEffect(() => {
    const timer = setTimeout(again, TYPING_MS);
    return () => clearTimeout(timer);
  }, [pages, text]);
  const tasks = value?.data ?? [];
  const at = tasks.findIndex((one) => one.id === id);
  const kept = { status: shown, category };
  const move = (by: number) => {
    const next = tasks[Math.min(tasks.length - 1, Math.max(0, at + by))];
    if (next) go('tasks', next.id, kept);
  };
  const finish = () => {
    const task = tasks[at];
    if (task && !isClosed(task)) void finishing.act(() => change('task', task.id, { status: 'done', revision: task.revision }).finally(touch));
  };
  useKeys({
    j: () => move(1), k: () => move(-1), d: finish, Escape: () => { if (id) go('tasks', null, kept); },
    n: () => document.querySelector<HTMLInputElement>('.add-line input')?.focus(),
  });
  const isNarrowed = Boolean(text || shown || category);
  return (
    <>
      <Head title="Tasks">
        <Select label="Status" all="Open ones" choices={SHOWN} value={shown} onChoose={(one) => narrow({ status: one || null })} />
        <Select label="Category" all="All categories" choices={optionsOf(names.categories)} value={category} onChoose={(one) => narrow({ category: one || null })} />
        <Search label="Search tasks" value={text} onInput={setText} />
      </Head>
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Tasks">
          <AddLine label="Add a task" add={(title) => make('task', { title, ...(category ? { category_id: category } : {}) })} />
          {trouble && <Trouble text={trouble} retry={again} />}
          {finishing.trouble && <Trouble text={finishing.trouble} />}
          <VirtualList label="Tasks" count={tasks.length} height={62} fixed current={at} keyOf={(row) => `task${tasks[row]!.id}`}
            onChoose={(row) => go('tasks', tasks[row]!.id, kept)} row={(row) => <TaskRow task={tasks[row]!} names={names} />}
            empty={value && <Empty title={isNarrowed ? 'Nothing matches' : 'Nothing to do'}>{!isNarrowed && <>Write the first task above, or: <code>belfry task add 'Water the plants'</code></>}</Empty>} />
          {value?.has_more && <p class="list-foot"><button type="button" class="link" onClick={() => setPages(pages + 1)}>Show more</button></p>}
        </section>
        <section class="detail" aria-label="One task">
          {id ? <TaskView key={id} id={id} names={names} back={kept} /> : <Empty title="Choose a task"><kbd>j</kbd> and <kbd>k</kbd> go through them, <kbd>n</kbd> writes a new one, <kbd>d</kbd> marks one as done.</Empty>}
        </section>
      </div>
    </>
  );
});

function TaskRow({ task, names }: { task: Task; names: Names }) {
  const isLate = task.due_date !== null && !isClosed(task) && task.due_date < dateOf(minute.value);
  return (
    <div class={`item task-item ${task.status}`}>
      <p class="item-title"><span><strong>{seen(task.title)}</strong></span>{task.due_date && <span class={`due${isLate ? ' late' : ''}`}>{dueWords(task.due_date, minute.value)}</span>}</p>
      <p class="item-second"><State of={task.status} /><span class={`urgency ${task.priority}`}>{task.priority.toUpperCase()}</span><span class="item-text"><CategoryMark names={names} id={task.category_id} /></span></p>
    </div>
  );
}
