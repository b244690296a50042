// What wakes an agent: events, by type, severity, source and a predicate.
import { useState } from 'preact/hooks';
import type { Agent, Severity as Level, WakeSubscription } from 'belfry-client/wire';
import { belfry } from '../access';
import { choicesOf, field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { seen } from '../parts/seen';
import { route } from '../route';
import { windowWords } from './words';

const WINDOWS = { 0: 'at once', 10000: 'after 10 s', 120000: 'after 2 min', 600000: 'after 10 min', 3600000: 'after an hour' };
const FIELDS = [
  field('types', 'Types of events', { isRequired: true, hint: 'Types and patterns, one after the other: ci.failed deploy.*' }),
  field('severity', 'At least as severe as', { type: 'choice', isRequired: true, preset: 'debug', choices: ['debug', 'info', 'warning', 'error', 'critical'].map((value) => ({ value, title: value })) }),
  field('sources', 'Sources', { hint: 'Only from these, one after the other' }),
  field('predicate', 'Only where', { hint: 'payload.branch == "main"' }),
  field('window_ms', 'How soon', { type: 'choice', isRequired: true, preset: '120000', choices: choicesOf(WINDOWS), hint: 'What comes in between is gathered for one run' }),
  field('priority', 'Priority', { type: 'integer', hint: '-100 to 100; the larger runs first' }),
];

const several = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);

export function Subscriptions({ agent, rules, again }: { agent: Agent; rules: WakeSubscription[]; again: () => void }) {
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<WakeSubscription | null>(null);
  const chosen = route.value.query.get('rule');
  const isAlive = agent.lifecycle !== 'destroyed';
  const add = async ({ types, sources, window_ms, ...more }: Record<string, any>) => {
    await belfry().subscribeAgent(agent.id, { ...more, types: several(types), sources: several(sources), window_ms: Number(window_ms) });
    again();
  };
  const remove = async (rule: WakeSubscription) => {
    await belfry().unsubscribeAgent(agent.id, rule.id);
    again();
  };
  return (
    <section aria-label="What wakes it">
      <div class="section-head"><h3>What wakes it</h3>{isAlive && agent.mode !== 'interactive' && <button type="button" class="link" onClick={() => setAdding(true)}>Add a subscription</button>}</div>
      {rules.length === 0 && <p class="quiet">{agent.mode === 'interactive' ? 'Its person alone.' : 'No event wakes it.'}</p>}
      <ul class="rules">
        {rules.map((rule) => (
          <li key={rule.id} class={`${rule.active ? '' : 'off'}${rule.id === chosen ? ' chosen' : ''}`}>
            <div>
              <p class="types">{(rule.types.length > 0 ? rule.types : rule.tokens).map((one) => <code key={one}>{seen(one)}</code>)}</p>
              {rule.predicate && <p>only where <code>{seen(rule.predicate)}</code></p>}
              <p class="facts"><span>{windowWords(rule)}</span>{rule.severity !== ('debug' as Level) && <span>from {rule.severity} on</span>}{rule.sources.length > 0 && <span>only from {seen(rule.sources.join(', '))}</span>}
                {rule.priority !== 0 && <span>priority {rule.priority}</span>}{!rule.active && <span>switched off</span>}</p>
            </div>
            {isAlive && <button type="button" aria-label={`Remove the subscription to ${[...rule.types, ...rule.tokens].join(', ')}`} onClick={() => setRemoved(rule)}>Remove</button>}
          </li>
        ))}
      </ul>
      {isAdding && <FormDialog title="Add a subscription" deed="Add it" fields={FIELDS} send={add} onClose={() => setAdding(false)} />}
      {removed && (
        <FormDialog title="Remove this subscription?" deed="Remove it" isDanger send={() => remove(removed)} onClose={() => setRemoved(null)}>
          <p><code>{[...removed.types, ...removed.tokens].join(', ')}</code> wakes it no more. What waits already still runs.</p>
        </FormDialog>
      )}
    </section>
  );
}
