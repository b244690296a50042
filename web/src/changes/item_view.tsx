// One call that an agent proposes: what it would change, and what came of it.
import type { ChangeItem } from 'belfry-client/wire';
import { Json, State, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { Values } from '../parts/values';
import { hrefOf } from '../route';
import type { Word } from './set_view';
import { CHANGES, gistOf, toolWords } from './words';

const CHANGES_MAX = 100; // the daemon tells no more of one call

interface Props { item: ChangeItem; isBusy: boolean; trouble: string | null; say: (word: Word) => void }

export function ItemView({ item, isBusy, trouble, say }: Props) {
  const title = toolWords(seen(item.tool_name));
  const { arguments: given, changes, result } = item;
  const isOpen = item.state === 'proposed';
  const about = `item ${item.number}, ${title}`;
  return (
    <li class={`proposal ${item.state}`} data-item={item.number}>
      <div class="section-head">
        <p class="proposal-title"><span class="quiet number">{item.number}.</span> <strong>{title}</strong> <code>{seen(item.tool_name)}</code></p>
        {!isOpen && <State of={item.state} />}
      </div>
      {changes.length === 0 && <p class="quiet">Nothing of the journal {isOpen ? 'would change' : 'was to change'}.</p>}
      {changes.length > 0 && <ul class="would" aria-label={isOpen ? 'What would change' : 'What was to change'}>{changes.map((one, at) => <Change key={at} change={one} />)}</ul>}
      {changes.length === CHANGES_MAX && <p class="quiet">There may be more: the first {CHANGES_MAX} are shown.</p>}
      {Object.keys(given).length > 0 && (
        <details open={isOpen && changes.length === 0}>
          <summary>Arguments <span class="gist">{seen(gistOf(given))}</span></summary>
          <Values value={given} />
        </details>
      )}
      {item.error && <p class="trouble"><code>{seen(item.error.code)}</code>: {seen(item.error.message)}</p>}
      {result !== null && <details><summary>What the tool said</summary><Json value={result} /></details>}
      {item.decided_at && <p class="quiet decided-by">{moment(item.decided_at)}{item.decided_by && <>, by {seen(item.decided_by)}</>}</p>}
      {trouble && <Trouble text={trouble} />}
      {isOpen && (
        <p class="actions">
          <button type="button" class="primary" aria-label={`Accept ${about}`} disabled={isBusy} onClick={() => say('accept')}>Accept</button>
          <button type="button" aria-label={`Reject ${about}`} disabled={isBusy} onClick={() => say('reject')}>Reject</button>
        </p>
      )}
    </li>
  );
}

function Change({ change: { change, kind, id, title } }: { change: ChangeItem['changes'][number] }) {
  const name = title ? `“${seen(title)}”` : id ? seen(id) : '';
  const place = kind === 'task' && id && change !== 'deleted' ? hrefOf('tasks', id) : null;
  return <li><span class={`change-mark change-${change}`}>{CHANGES[change]}</span> {kind.replaceAll('_', ' ')} {place ? <a href={place}>{name}</a> : <span class="said">{name}</span>}</li>;
}
