// An agent asks: may I use this tool, or a small form.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Interaction, InteractionAnswer } from 'belfry-client/wire';
import { fieldOf, words } from '../access';
import type { Refused } from '../parts/field';
import { Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { duration } from '../parts/time';
import { Values } from '../parts/values';
import { Form } from './form';
import { answer } from './questions';

function useLeft(until: string, isOpen: boolean): number {
  const [left, setLeft] = useState(Date.parse(until) - Date.now());
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => setLeft(Date.parse(until) - Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until, isOpen]);
  return left;
}

export function Question({ question }: { question: Interaction }) {
  const isPending = question.state === 'pending';
  const left = useLeft(question.expires_at, isPending);
  const isOpen = isPending && left > 0;
  const [refused, setRefused] = useState<Refused | null>(null);
  const card = useRef<HTMLElement>(null);
  const [isBusy, setBusy] = useState(false);
  const give = async (given: InteractionAnswer) => {
    setBusy(true);
    setRefused(null);
    try {
      await answer(question.id, given);
      card.current?.focus(); // what was pressed is gone
    } catch (failure) {
      setRefused({ field: fieldOf(failure), text: words(failure) });
    }
    setBusy(false);
  };
  return (
    <article ref={card} tabIndex={-1} class={`question ${isPending && !isOpen ? 'expired' : question.state}`} aria-label="The agent asks">
      <header><span class="who">The agent asks</span>{isOpen && <span class="quiet">no answer means no · {duration(Math.floor(left / 1000) * 1000)} left</span>}</header>
      <p class="said">{seen(question.message)}</p>
      {question.tool_name && <p class="tool-name">Tool <code>{seen(question.tool_name)}</code></p>}
      {question.arguments && <Values value={question.arguments} />}
      {refused && isOpen && question.kind === 'confirmation' && <Trouble text={refused.text} />}
      {!isOpen && <p class="outcome">{outcome(question)}</p>}
      {isOpen && question.kind === 'confirmation' && (
        <p class="actions">
          <button type="button" class="primary" disabled={isBusy} onClick={() => void give({ decision: 'allow_once' })}>Allow once</button>
          {question.tool_name && <button type="button" disabled={isBusy} onClick={() => void give({ decision: 'always_allow' })}>Always allow</button>}
          <button type="button" class="danger" disabled={isBusy} onClick={() => void give({ decision: 'deny' })}>Deny</button>
        </p>
      )}
      {isOpen && question.kind === 'elicitation' && <Form id={question.id} schema={question.schema} refused={refused} isBusy={isBusy} onAnswer={(given) => void give(given)} />}
    </article>
  );
}

const DECISIONS: Record<string, string> = {
  allow_once: 'Allowed once', always_allow: 'Always allowed in this conversation', deny: 'Denied', accept: 'Answered', decline: 'Declined', cancel: 'Cancelled',
};

function outcome({ state, answer: given, answered_by, tool_name, always_allowed }: Interaction): string {
  if (state === 'pending' || state === 'expired') return 'No answer came in time: that means no.';
  if (state === 'withdrawn') return 'The agent does not ask any more.';
  const isForGood = given?.decision === 'always_allow' && !always_allowed && !given.earlier;
  const said = isForGood ? (tool_name ? 'Was always allowed, and is not any more' : 'Allowed once') : DECISIONS[given?.decision ?? given?.action ?? ''] ?? 'Answered';
  return `${said}${given?.earlier ? ', as before' : ''}${answered_by ? ` · ${answered_by}` : ''}`;
}
