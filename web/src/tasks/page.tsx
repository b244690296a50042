import { useEffect, useState } from 'preact/hooks';
import type { JournalFilter, TaskStatus } from 'belfry-client/wire';
import { allOf, change, make } from '../journal/calls';
import { ofJournal } from '../journal/gate';
import { CategoryMark, type Names, optionsOf, useNames } from '../journal/names';
import type { Task } from '../journal/records';
import { useDeed } from '../journal/use_deed';
import { touch, useJournal } from '../journal/use_journal';
import { OPEN_STATUSES, STATUSES, dateOf, dueWords, isClosed, mergedByAge } from '../journal/words';
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

const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

type Found = { data: Task[]; has_more: boolean };

/** Newest first, except what is due. */
async function read(pages: number, shown: string, category: string, words: string): Promise<Found> {
  const about = { category: category || undefined, q: hasWord(words) ? words : undefined };
  const some = async (query: JournalFilter): Promise<Found> => {
    const data = await allOf('task', { limit: PAGE, ...about, ...query }, (found) => found.length >= pages * PAGE);
    return { data: data.slice(0, pages * PAGE), has_more: data.length >= pages * PAGE };
  };
  if (shown === 'due') return some({ due_to: '9999-12-31' });
  if (shown === 'all') return some({});
  if (shown) return some({ status: shown as TaskStatus });
  return mergedByAge(await Promise.all(OPEN_STATUSES.map((status) => some({ status }))));
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
          <AddLine category={category} />
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

function AddLine({ category }: { category: string }) {
  const [title, setTitle] = useState('');
  const { isBusy, trouble, act } = useDeed();
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = title.trim();
    if (wanted && !isBusy) void act(async () => {
      await make('task', { title: wanted, ...(category ? { category_id: category } : {}) });
      setTitle('');
      touch();
    });
  };
  return (
    <form class="add-line" onSubmit={add}>
      <input aria-label="Add a task" placeholder="Add a task" value={title} autocomplete="off" onInput={(event) => setTitle(event.currentTarget.value)}
        onKeyDown={(event) => { if (event.key === 'Escape') event.currentTarget.blur(); }} />
      <button type="submit" disabled={title.trim() === ''}>Add</button>
      {trouble && <p class="fault" role="alert">{trouble}</p>}
    </form>
  );
}

function TaskRow({ task, names }: { task: Task; names: Names }) {
  const isLate = task.due_date !== null && !isClosed(task) && task.due_date < dateOf(minute.value);
  return (
    <div class={`item task-item ${task.status}`}>
      <p class="item-title"><span><strong>{seen(task.title)}</strong></span>{task.due_date && <span class={`due${isLate ? ' late' : ''}`}>{dueWords(task.due_date, minute.value)}</span>}</p>
      <p class="item-second"><State of={task.status} /><span class={`urgency ${task.priority}`}>{task.priority.toUpperCase()}</span><span class="item-text"><CategoryMark names={names} id={task.category_id} /></span></p>
    </div>
  );
}
