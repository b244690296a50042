// What a task is linked with.
import type { ComponentChildren } from 'preact';
import type { JournalLink } from 'belfry-client/wire';
import { linksOf, mayBe } from '../journal/calls';
import type { Task } from '../journal/records';
import { useJournal } from '../journal/use_journal';
import { seen } from '../parts/seen';
import { hrefOf } from '../route';

interface Linked { link: JournalLink; isFrom: boolean; other: string; words: string | null; isTask: boolean }

async function read(id: string): Promise<Linked[]> {
  return Promise.all((await linksOf(id)).map(async (link) => {
    const isFrom = link.from_id === id;
    const other = isFrom ? link.to_id : link.from_id;
    const task = await mayBe('task', other);
    const words = task ? task.title : (await mayBe('entry', other))?.text ?? null;
    return { link, isFrom, other, words, isTask: task !== null };
  }));
}

function target({ other, words, isTask }: Linked): ComponentChildren {
  if (isTask) return <a href={hrefOf('tasks', other)}>{seen(words!)}</a>;
  const date = /^day_plan:(.+)$/.exec(other)?.[1];
  if (date) return <a href={hrefOf('day', date)}>{date}</a>;
  return words ? <span class="said">{seen(words)}</span> : <code>{other}</code>;
}

export function Links({ task }: { task: Task }) {
  const links = useJournal(() => read(task.id), [task.id]).value ?? [];
  if (links.length === 0) return null;
  return (
    <section aria-label="Links">
      <h3>Links</h3>
      <dl class="particulars">
        {links.map((one) => (
          <div key={`${one.link.relation} ${one.link.from_id} ${one.link.to_id}`}>
            <dt>{one.isFrom ? '' : '← '}{one.link.relation.replaceAll('_', ' ')}{!one.isFrom && <span class="sr"> of</span>}</dt><dd>{target(one)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
