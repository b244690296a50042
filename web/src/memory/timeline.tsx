// What an agent remembers in the order of time: cold, warm, hot.
import { Icon } from '../parts/icons';
import { seen } from '../parts/seen';
import { MessageRow } from './message_view';
import type { Mind } from './mind';
import { SummaryView } from './summary_view';
import { type Tier, threadWords, tierOf } from './words';

const TIERS: Record<Tier, { title: string; what: string; none: string }> = {
  cold: { title: 'Cold', what: 'summaries of summaries', none: 'Nothing lies so far back that it was folded twice.' },
  warm: { title: 'Warm', what: 'summaries of what was said', none: 'Nothing was folded that is not cold.' },
  hot: { title: 'Hot', what: 'what was said, as it is', none: 'Nothing in this thread.' },
};

interface Props { mind: Mind; open: (id: string) => void; earlier: () => void }

export function MemoryTimeline({ mind, open, earlier }: Props) {
  const { agent: { id }, summaries, hot, hasEarlier, unfolded, fates, told } = mind;
  const ofTier = (tier: Tier) => summaries.filter(({ depth }) => tierOf(depth) === tier);
  const folded = hot.length - unfolded;
  return (
    <div class="memory-line">
      <p class="jumps" role="group" aria-label="Go to">
        {(['cold', 'warm', 'hot'] as const).map((tier) => (
          <button key={tier} type="button" onClick={() => document.getElementById(`tier-${tier}`)?.focus()}><i class={tier} aria-hidden="true" />{TIERS[tier].title} <small class="number">{tier === 'hot' ? `${hot.length}${hasEarlier ? '+' : ''}` : ofTier(tier).length}</small></button>
        ))}
      </p>
      {(['cold', 'warm'] as const).map((tier) => (
        <section key={tier} class={`tier ${tier}`} aria-labelledby={`tier-${tier}`}>
          <h3 id={`tier-${tier}`} tabIndex={-1}>{TIERS[tier].title}: {TIERS[tier].what}</h3>
          {ofTier(tier).length === 0 && <p class="quiet">{TIERS[tier].none}</p>}
          <ol>{ofTier(tier).map((one) => <SummaryView key={one.id} agent={id} placed={one} fates={fates} open={open} />)}</ol>
        </section>
      ))}
      <section class="tier hot" aria-labelledby="tier-hot">
        <h3 id="tier-hot" tabIndex={-1}>{TIERS.hot.title}: {TIERS.hot.what}{told.thread_id && `, in ${seen(threadWords(id, told.thread_id))}`}</h3>
        {hot.length === 0 && <p class="quiet">{TIERS.hot.none}</p>}
        {hasEarlier && <p><button type="button" class="link" onClick={earlier}><Icon name="up" />Show earlier ones</button></p>}
        <ol>{hot.map((one, at) => <MessageRow key={one.id} message={one} fate={fates.get(one.id)} note={at < folded ? 'in a summary, too' : undefined} open={open} />)}</ol>
      </section>
    </div>
  );
}
