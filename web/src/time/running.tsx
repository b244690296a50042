// The timer that runs, or the way to start one.
import { useState } from 'preact/hooks';
import { journal } from '../journal/state';
import type { KnownTasks } from '../journal/tasks';
import { startTimer, stopTimer } from '../journal/timer';
import { useDeed } from '../journal/use_deed';
import { Elapsed } from '../parts/marks';
import { seen } from '../parts/seen';
import { hourWords } from '../journal/words';
import { hrefOf } from '../route';

export function Running({ tasks }: { tasks: KnownTasks }) {
  const { isBusy, trouble, act } = useDeed();
  const running = journal.value?.running;
  const [task, setTask] = useState('');
  const [note, setNote] = useState('');
  const start = (event: SubmitEvent) => {
    event.preventDefault();
    void act(async () => {
      await startTimer({ ...(task ? { task_id: task } : {}), ...(note.trim() ? { note: note.trim() } : {}) });
      setNote('');
    });
  };
  return (
    <section class={`running-timer${running ? ' on' : ''}`} aria-label="Timer">
      {running ? (
        <>
          <p class="grow"><strong>{running.task_id ? <a href={hrefOf('tasks', running.task_id)}>{seen(tasks.titles.get(running.task_id)?.title ?? running.task_id)}</a> : seen(running.note ?? 'Nothing in particular')}</strong>
            <span class="quiet">{running.task_id && running.note ? `${seen(running.note)}, ` : ''}since {hourWords(Date.parse(running.started_at))}</span></p>
          <span class="clock"><Elapsed since={running.started_at} /></span>
          <button type="button" class="primary" disabled={isBusy} onClick={() => void act(() => stopTimer(running))}>Stop</button>
        </>
      ) : (
        <form onSubmit={start}>
          <select aria-label="Task" value={task} onChange={(event) => setTask(event.currentTarget.value)}>
            <option value="">No task</option>
            {tasks.open.map((one) => <option key={one.id} value={one.id}>{seen(one.title)}</option>)}
          </select>
          <input aria-label="Note" placeholder="Note" value={note} autocomplete="off" onInput={(event) => setNote(event.currentTarget.value)} />
          <button type="submit" class="primary" disabled={isBusy}>Start</button>
        </form>
      )}
      {trouble && <p class="fault" role="alert">{trouble}</p>}
    </section>
  );
}
