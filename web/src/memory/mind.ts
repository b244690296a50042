// All that the page shows of an agent's memory, read at once.
import type { Agent, AgentMessage, AssembledMemory, MemoryChoice, MemoryThread, PlacedSummary } from 'belfry-client/wire';
import { belfry } from '../access';
import type { Fate } from './words';

export const HOT_PAGE = 50;
const HOT_MAX = 1000; // a page of the daemon
const THREADS = 200;

export interface Mind {
  agent: Agent;
  told: AssembledMemory;
  threads: MemoryThread[];
  hasMoreThreads: boolean;
  /** That nothing has folded, the oldest first. */
  summaries: PlacedSummary[];
  /** Raw messages of the thread: what no summary has yet, and what is told raw, the oldest first. */
  hot: AgentMessage[];
  hasEarlier: boolean;
  /** How many of them no summary has. */
  unfolded: number;
  fates: ReadonlyMap<string, Fate>;
}

/** What is made out of what stands in the context, by message and by summary. */
const fatesOf = (choices: MemoryChoice[]) => new Map(choices.flatMap((one) => (one.id && one.part !== 'carried' ? [[one.id, one.fate] as const] : [])));

const since = (one: PlacedSummary) => Date.parse(one.summary.from) || Date.parse(one.created_at);

/** The deeper, the older; those of one depth by their time. */
const inOrder = (summaries: PlacedSummary[]) => [...summaries].sort((a, b) => b.depth - a.depth || since(a) - since(b));

export async function readMind(id: string, thread: string | null, pages: number): Promise<Mind> {
  const [agent, told, threads, summaries] = await Promise.all([
    belfry().agent(id), belfry().memory(id, { explain: true, thread_id: thread ?? undefined }), belfry().memoryThreads(id, { limit: THREADS }), belfry().memorySummaries(id),
  ]);
  const choices = told.choices ?? [];
  const row = threads.data.find((one) => one.thread_id === told.thread_id);
  const wanted = Math.max(row?.hot_messages ?? 0, choices.filter((one) => one.part === 'message').length);
  const limit = Math.min(HOT_MAX, pages * HOT_PAGE);
  const page = told.thread_id ? await belfry().agentMessages(id, { thread: told.thread_id, limit }) : { data: [], has_more: false };
  const raw = page.data.filter(({ kind }) => kind !== 'summary').slice(0, wanted);
  return {
    agent, told, threads: threads.data, hasMoreThreads: threads.has_more, summaries: inOrder(summaries.data), hot: raw.reverse(),
    hasEarlier: raw.length < wanted && page.has_more && limit < HOT_MAX, unfolded: row?.hot_messages ?? 0, fates: fatesOf(choices),
  };
}
