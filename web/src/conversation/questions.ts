// Questions of agents to the person: open ones, wherever they were asked.
import { signal } from '@preact/signals';
import type { Interaction, InteractionAnswer } from 'belfry-client/wire';
import { belfry } from '../access';

export const questions = signal<ReadonlyMap<string, Interaction>>(new Map());

/** As the daemon tells of it, or as it answers a question about it. */
export function takeInteraction(came: Record<string, any>) {
  const known = questions.value.get(came.id);
  if (known && known.state !== 'pending') return; // an end is an end
  const next = new Map(questions.value);
  next.set(came.id, { ...known, ...came } as Interaction);
  questions.value = next;
}

export async function answer(id: string, given: InteractionAnswer) {
  takeInteraction(await belfry().answerInteraction(id, given));
}

export const openQuestions = () => [...questions.value.values()].filter((one) => one.state === 'pending' && Date.parse(one.expires_at) > Date.now());
