// What a record is linked with.
import type { ComponentChildren } from 'preact';
import type { JournalLink } from 'belfry-client/wire';
import { linksOf, mayBe } from '../journal/calls';
import { useJournal } from '../journal/use_journal';
import { seen } from '../parts/seen';
import { recordWords } from '../entries/found';
import { hrefOf } from '../route';

interface Linked { link: JournalLink; isFrom: boolean; other: string; words: string | null; page: 'tasks' | 'journal' | null }

async function read(id: string): Promise<Linked[]> {
  return Promise.all((await linksOf(id)).map(async (link) => {
    const isFrom = link.from_id === id;
    const other = isFrom ? link.to_id : link.from_id;
    const task = await mayBe('task', other);
    const entry = task ? null : await mayBe('entry', other);
    return { link, isFrom, other, words: task?.title ?? (entry && recordWords(entry)), page: task ? 'tasks' : entry ? 'journal' : null };
  }));
}

function target({ other, words, page }: Linked): ComponentChildren {
  if (page) return <a href={hrefOf(page, page === 'journal' ? `entry:${other}` : other)}>{seen(words ?? other)}</a>;
  const date = /^day_plan:(.+)$/.exec(other)?.[1];
  if (date) return <a href={hrefOf('day', date)}>{date}</a>;
  return <code>{other}</code>;
}

export function Links({ id }: { id: string }) {
  const links = useJournal(() => read(id), [id]).value ?? [];
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
