// Tasks that are pinned to a day.
import type { KnownTasks } from '../journal/tasks';
import { Icon } from '../parts/icons';
import { State } from '../parts/marks';
import { seen } from '../parts/seen';
import { hrefOf } from '../route';
import type { Plan } from './use_plan';

export function Pinned({ plan, tasks }: { plan: Plan; tasks: KnownTasks }) {
  const pinned = plan.part?.pinned_task_ids ?? [];
  const free = tasks.open.filter((one) => !pinned.includes(one.id));
  const titleOf = (id: string) => tasks.titles.get(id)?.title ?? id;
  const pin = (id: string) => { if (id) plan.attempt(`pin ${titleOf(id)}`, ({ pinned_task_ids: present }) => ({ pinned_task_ids: [...present.filter((one) => one !== id), id] })); };
  const unpin = (id: string) => plan.attempt(`unpin ${titleOf(id)}`, ({ pinned_task_ids: present }) => ({ pinned_task_ids: present.filter((one) => one !== id) }));
  return (
    <section aria-label="Pinned tasks">
      <h3>Pinned tasks</h3>
      <ul class="pinned">
        {pinned.map((id) => {
          const task = tasks.titles.get(id);
          return (
            <li key={id}>
              <a class="grow" href={hrefOf('tasks', id)}>{seen(titleOf(id))}</a>{task && <State of={task.status} />}
              <button type="button" class="plain" aria-label={`Unpin ${titleOf(id)}`} title="Unpin" onClick={() => unpin(id)}><Icon name="close" /></button>
            </li>
          );
        })}
      </ul>
      {free.length > 0
        ? <select class="pin" aria-label="Pin a task" value="" onChange={(event) => pin(event.currentTarget.value)}><option value="">Pin a task</option>{free.map((one) => <option key={one.id} value={one.id}>{seen(one.title)}</option>)}</select>
        : tasks.isRead && pinned.length === 0 && <p class="quiet">There is no open task. <a href={hrefOf('tasks')}>Write one</a></p>}
    </section>
  );
}
