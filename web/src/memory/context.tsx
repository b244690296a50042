// What an agent would be told, were it woken now: how its budget is used, what was left out and why, and what is carried on.
import type { MemoryChoice } from 'belfry-client/wire';
import { seen } from '../parts/seen';
import type { Mind } from './mind';
import { ItemList } from './summary_view';
import { FATES, choiceWords, leftOut, many, sharesOf } from './words';

const SHOWN = 50;

interface Props { mind: Mind; show: (choice: MemoryChoice) => void; open: (id: string) => void }

export function Context({ mind, show, open }: Props) {
  const { told } = mind;
  const shares = sharesOf(told).filter(({ tokens }) => tokens > 0);
  const groups = leftOut(told);
  const used = told.used_tokens + told.reserved_tokens;
  const words = `${used.toLocaleString('en-GB')} of ${told.budget_tokens.toLocaleString('en-GB')} tokens`;
  return (
    <section class="context" aria-label="What it is told">
      <div class="section-head"><h3>What it is told</h3><span class="number">{words}</span></div>
      <div class="budget" role="img" aria-label={`Budget: ${words} are used`}>
        {shares.map(({ name, tokens }) => <i key={name} class={`share-${name}`} style={{ flexGrow: tokens }} />)}
      </div>
      <dl class="shares">
        {shares.map(({ name, title, tokens }) => <div key={name}><dt><i class={`share-${name}`} aria-hidden="true" />{title}</dt><dd class="number">{tokens.toLocaleString('en-GB')}</dd></div>)}
      </dl>
      {told.left_out === 0 && <p class="quiet">Nothing was left out.</p>}
      {groups.map(({ fate, choices, tokens }) => (
        <details key={fate} class="left-out">
          <summary>{many(choices.length, 'thing')} left out: {FATES[fate]} <span class="quiet number">{tokens.toLocaleString('en-GB')} tokens</span></summary>
          <ul aria-label={`Left out: ${FATES[fate]}`}>
            {choices.slice(0, SHOWN).map((one, at) => (
              <li key={`${one.id}${at}`}>{choiceWords(one)}, <span class="number">{many(one.tokens, 'token')}</span>{' '}
                {one.id && <button type="button" class="link" aria-label={`Show the ${choiceWords(one)}, ${at + 1} of ${choices.length}`} onClick={() => show(one)}>Show</button>}</li>
            ))}
          </ul>
          {choices.length > SHOWN && <p class="quiet">And {choices.length - SHOWN} more.</p>}
        </details>
      ))}
      {told.slots && <details class="left-out"><summary>What it has in mind</summary><p class="said">{seen(told.slots)}</p></details>}
      <Kept title="Goals" items={told.goals} open={open} />
      <Kept title="Decisions" items={told.decisions} open={open} />
      <Kept title="Open loops" items={told.open_loops} open={open} />
    </section>
  );
}

function Kept({ title, items, open }: { title: string; items: Mind['told']['goals']; open: (id: string) => void }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {items.length === 0 ? <p class="quiet">None.</p> : <ItemList items={items} label={title} open={open} />}
    </section>
  );
}
