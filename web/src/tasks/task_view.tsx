// One task: everything about it is changed where it stands.
import { useRef, useState } from 'preact/hooks';
import { change, recordOf, remove } from '../journal/calls';
import { EditChoice, EditLine, EditText } from '../journal/edit_view';
import { type Names, NewName, optionsOf } from '../journal/names';
import type { Task } from '../journal/records';
import { Saver } from '../journal/saver';
import { useEdit } from '../journal/use_edit';
import { touch, useJournal } from '../journal/use_journal';
import { PRIORITIES, STATUSES } from '../journal/words';
import { FormDialog } from '../parts/form_dialog';
import { Icon } from '../parts/icons';
import { Trouble } from '../parts/marks';
import { moment } from '../parts/time';
import { go, hrefOf } from '../route';
import { Checklists } from './checklists';
import { estimateWords, minutesOf } from './estimate';
import { Labels } from './labels';
import { Links } from './links';
import { Spent } from './spent';

const STATUS_OPTIONS = Object.entries(STATUSES).map(([value, label]) => ({ value, label }));
const PRIORITY_OPTIONS = Object.entries(PRIORITIES).map(([value, label]) => ({ value, label }));

type Back = Record<string, string>;

export function TaskView({ id, names, back }: { id: string; names: Names; back: Back }) {
  const { value, trouble, again } = useJournal(() => recordOf('task', id), [id]);
  if (!value) return trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>;
  return <OneTask task={value} names={names} back={back} trouble={trouble} />;
}

function OneTask({ task, names, back, trouble }: { task: Task; names: Names; back: Back; trouble: string | null }) {
  const [isMaking, setMaking] = useState(false);
  const saver = useRef(new Saver<Task>()).current;
  const save = (patch: (value: any) => Partial<Task>) => (value: any, seen: number) => saver.save(seen, (revision) => change('task', task.id, { ...patch(value), revision }));
  const title = useEdit(task.title, task.revision, save((value) => ({ title: value.trim() })));
  const text = useEdit(task.text ?? '', task.revision, save((value) => ({ text: value || null })));
  const status = useEdit<string>(task.status, task.revision, save((value) => ({ status: value })));
  const priority = useEdit<string>(task.priority, task.revision, save((value) => ({ priority: value })));
  const due = useEdit(task.due_date ?? '', task.revision, save((value) => ({ due_date: value || null })));
  const estimate = useEdit(estimateWords(task.estimate_min), task.revision, save((value) => ({ estimate_min: minutesOf(value) })));
  const category = useEdit(task.category_id, task.revision, save((value) => ({ category_id: value })));
  const labels = useEdit(task.label_ids, task.revision, save((value) => ({ label_ids: value })));
  return (
    <article class="record task">
      <a class="back" href={hrefOf('tasks', null, back)}><Icon name="back" />Tasks</a>
      {trouble && <Trouble text={trouble} />}
      <header class="task-title"><h2 class="sr">{task.title}</h2><EditText label="Title" edit={title} isBare isLine /></header>
      <div class="properties">
        <EditChoice label="Status" edit={status} options={STATUS_OPTIONS} />
        <EditChoice label="Priority" edit={priority} options={PRIORITY_OPTIONS} />
        <EditLine label="Due" kind="date" edit={due} />
        <EditLine label="Estimate" edit={estimate} placeholder="1h 30m" />
        <EditChoice label="Category" edit={category} options={optionsOf(names.categories)} />
        <p class="edit"><button type="button" class="link" onClick={() => setMaking(true)}>New category</button></p>
      </div>
      <Labels edit={labels} labels={names.labels} />
      <EditText label="Text" edit={text} placeholder="What there is to know about it" />
      <Checklists task={task} />
      <Spent task={task} />
      <Links id={task.id} />
      <dl class="particulars">
        <div><dt>Made</dt><dd>{moment(task.created_at)}</dd></div>
        <div><dt>Changed</dt><dd>{moment(task.updated_at)}, revision {task.revision}</dd></div>
        <div><dt>Id</dt><dd><code>{task.id}</code></dd></div>
      </dl>
      <Delete task={task} back={back} />
      {isMaking && <NewName kind="category" onClose={() => setMaking(false)} onMade={(made) => category.commit(made)} />}
    </article>
  );
}

function Delete({ task, back }: { task: Task; back: Back }) {
  const [isAsking, setAsking] = useState(false);
  const send = async () => {
    await remove('task', task.id);
    touch();
    go('tasks', null, back);
  };
  return (
    <p class="actions">
      <button type="button" class="danger" onClick={() => setAsking(true)}>Delete task</button>
      {isAsking && (
        <FormDialog title="Delete this task?" deed="Delete it" isDanger send={send} onClose={() => setAsking(false)}>
          <p>Its checklists go with it; the time that was spent on it stays. That cannot be taken back.</p>
        </FormDialog>
      )}
    </p>
  );
}
