// Questions of agents to the person: open ones, wherever they were asked, and what became of them.
import { signal } from '@preact/signals';
import { BelfryError } from 'belfry-client';
import type { Interaction, InteractionAnswer } from 'belfry-client/wire';
import { belfry } from '../access';
import { minute } from '../parts/marks';
import type { Allowance } from './allowances';

export const questions = signal<ReadonlyMap<string, Interaction>>(new Map());
/** Answers that allowed a tool for good, and do not any more. */
export const takenBack = signal<ReadonlySet<string>>(new Set());

/** As the daemon tells of it, or as it answers a question about it. */
export function takeInteraction(came: Record<string, any>) {
  const isTakenBack = came.answer?.decision === 'always_allow' && !came.answer.earlier && came.always_allowed === false;
  if (isTakenBack) forgetAllowing([came.id]);
  const known = questions.value.get(came.id);
  if (!known && came.message === undefined) return; // how one has ended that nobody has seen here
  const isEnded = known !== undefined && known.state !== 'pending';
  if (isEnded && !(isTakenBack && known.always_allowed)) return; // an end is an end
  const next = new Map(questions.value);
  next.set(came.id, { ...known, ...came } as Interaction);
  questions.value = next;
}

function forgetAllowing(ids: string[]) {
  takenBack.value = new Set([...takenBack.value, ...ids]);
}

export async function answer(id: string, given: InteractionAnswer) {
  takeInteraction(await belfry().answerInteraction(id, given));
}

/** The tool is asked for again. That somebody else was faster is as good. */
export async function takeBack({ answers }: Allowance) {
  try {
    takeInteraction(await belfry().takeBackAllowance(answers[0]!));
  } catch (failure) {
    if (!(failure instanceof BelfryError) || failure.reason !== 'not_allowed') throw failure;
  }
  forgetAllowing(answers);
}

export function openQuestions(): Interaction[] {
  const now = Math.max(minute.value, Date.now());
  return [...questions.value.values()].filter((one) => one.state === 'pending' && Date.parse(one.expires_at) > now);
}

export function forgetQuestions() {
  questions.value = new Map();
  takenBack.value = new Set();
}
