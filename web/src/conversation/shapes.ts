// What a conversation is made of, as the daemon tells it.
import type { Interaction } from 'belfry-client/wire';

export interface Message { id: string; node_id: string; ordinal: number; role: 'user' | 'assistant' | 'tool' | 'system'; content: string; metadata: Record<string, any>; created_at: string }
export interface SystemMessage { id: string; ordinal: number; role: 'system'; source: string; severity: string; content: string; text: string; timestamp: string; notification_id: string }
export interface Node { id: string; parent_id: string | null; created_at: string; messages: Message[]; system_messages: SystemMessage[] }
/** An answer by which a tool is used without asking from then on. */
export interface Allowing extends Interaction { tool_name: string; ended_at: string }
export type Said = { kind: 'message'; message: Message } | { kind: 'system'; message: SystemMessage };

/** What was said in a node, in its order. */
export function saidIn(node: Node): Said[] {
  const all: Said[] = [
    ...node.messages.map((message): Said => ({ kind: 'message', message })),
    ...node.system_messages.map((message): Said => ({ kind: 'system', message })),
  ];
  return all.sort((a, b) => a.message.ordinal - b.message.ordinal);
}
