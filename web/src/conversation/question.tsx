// An agent asks: may I use this tool, or a small form.
import { useEffect, useState } from 'preact/hooks';
import type { Interaction, InteractionAnswer } from 'belfry-client/wire';
import { words } from '../access';
import { Json, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { duration } from '../parts/time';
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
  const isOpen = question.state === 'pending';
  const left = useLeft(question.expires_at, isOpen);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const give = async (given: InteractionAnswer) => {
    setBusy(true);
    setTrouble(null);
    try {
      await answer(question.id, given);
    } catch (failure) {
      setTrouble(words(failure));
    }
    setBusy(false);
  };
  return (
    <article class={`question ${question.state}`} aria-label="The agent asks">
      <header><span class="who">The agent asks</span>{isOpen && left > 0 && <span class="quiet">no answer means no · {duration(Math.floor(left / 1000) * 1000)} left</span>}</header>
      <p class="said">{seen(question.message)}</p>
      {question.tool_name && <p class="tool-name">Tool <code>{seen(question.tool_name)}</code></p>}
      {question.arguments && <Json value={question.arguments} />}
      {trouble && <Trouble text={trouble} />}
      {!isOpen && <p class="outcome">{outcome(question)}</p>}
      {isOpen && question.kind === 'confirmation' && (
        <p class="actions">
          <button type="button" class="primary" disabled={isBusy} onClick={() => void give({ decision: 'allow_once' })}>Allow once</button>
          <button type="button" disabled={isBusy} onClick={() => void give({ decision: 'always_allow' })}>Always allow</button>
          <button type="button" class="danger" disabled={isBusy} onClick={() => void give({ decision: 'deny' })}>Deny</button>
        </p>
      )}
      {isOpen && question.kind === 'elicitation' && <Form schema={question.schema} isBusy={isBusy} onAnswer={(given) => void give(given)} />}
    </article>
  );
}

const DECISIONS: Record<string, string> = {
  allow_once: 'Allowed once', always_allow: 'Always allowed in this conversation', deny: 'Denied', accept: 'Answered', decline: 'Declined', cancel: 'Cancelled',
};

function outcome({ state, answer: given, answered_by }: Interaction): string {
  if (state === 'expired') return 'No answer came in time: that means no.';
  if (state === 'withdrawn') return 'The agent does not ask any more.';
  const said = DECISIONS[given?.decision ?? given?.action ?? ''] ?? 'Answered';
  return `${said}${given?.earlier ? ', as before' : ''}${answered_by ? ` · ${answered_by}` : ''}`;
}
