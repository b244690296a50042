// What a run's events amount to for a reader: pieces of text are one text, a tool's call and its result are one call.
import type { CallerContext, RunEvent } from 'belfry-client/wire';

interface Common { key: string; run: number; at: string; who: string | null }
export type Block =
  | (Common & { kind: 'text'; messageId: string | null; text: string; pieces: number; isOpen: boolean })
  | (Common & { kind: 'tool'; callId: string; tool: string; given: unknown; result: unknown; endedAt: string | null; isError: boolean })
  | (Common & { kind: 'life'; name: string; data: any })
  | (Common & { kind: 'gap'; from: number; to: number })
  | (Common & { kind: 'event'; name: string; data: any });
export type ToolBlock = Extract<Block, { kind: 'tool' }>;

const LIFE = /^(lifecycle|control|tree|interaction|step)\./;

export const nameOf = (source: CallerContext | null) => source?.agent_name ?? source?.agent_id ?? null;

export class RunLog {
  blocks: Block[] = [];
  tools: ToolBlock[] = [];
  events = 0;
  /** The last event that was taken in, whatever it was. */
  lastAt: string | null = null;
  #texts = new Map<string, Extract<Block, { kind: 'text' }>>(); // open ones, by run and message
  #calls = new Map<string, ToolBlock>();

  take(event: RunEvent) {
    if (event.event === 'gap') {
      this.blocks.push({ kind: 'gap', key: `gap${event.data.from}`, run: 0, at: this.lastAt ?? '', who: null, from: event.data.from, to: event.data.to });
      return;
    }
    ++this.events;
    this.lastAt = event.timestamp;
    const data = event.data ?? {};
    switch (event.event) {
      case 'llm.stream': return this.#piece(event, data);
      case 'llm.message_start': return;
      case 'llm.message_end': return this.#endText(event.run_id);
      case 'llm.tool_call': return this.#call(event, data);
      case 'llm.tool_result': return this.#result(event, data);
      default:
        this.#endText(event.run_id);
        this.blocks.push({ ...common(event), kind: LIFE.test(event.event) ? 'life' : 'event', name: event.event, data: event.data });
    }
  }

  // Pieces of one message belong together also where another agent of the tree speaks in between.
  #piece(event: RunEvent, data: any) {
    const piece = String(data.delta ?? data.content ?? data.text ?? data.chunk ?? '');
    const messageId = data.message_id ?? null;
    const place = `${event.run_id}|${messageId ?? ''}`;
    let block = this.#texts.get(place);
    if (!block?.isOpen) {
      block = { ...common(event), kind: 'text', messageId, text: '', pieces: 0, isOpen: true };
      this.#texts.set(place, block);
      this.blocks.push(block);
    }
    block.text += piece;
    ++block.pieces;
  }

  #endText(run: number) {
    for (const [place, block] of this.#texts) {
      if (block.run !== run) continue;
      block.isOpen = false;
      this.#texts.delete(place);
    }
  }

  #call(event: RunEvent, data: any) {
    this.#endText(event.run_id);
    const callId = String(data.tool_call_id ?? data.call_id ?? event.id);
    const block: ToolBlock = { ...common(event), kind: 'tool', callId, tool: String(data.tool_name ?? 'tool'), given: data.arguments, result: undefined, endedAt: null, isError: false };
    this.#calls.set(`${event.run_id}|${callId}`, block);
    this.blocks.push(block);
    this.tools.push(block);
  }

  #result(event: RunEvent, data: any) {
    const block = this.#calls.get(`${event.run_id}|${data.tool_call_id ?? data.call_id}`);
    if (!block) {
      this.blocks.push({ ...common(event), kind: 'event', name: event.event, data: event.data });
      return;
    }
    block.result = data.content ?? data.result ?? data.error ?? '';
    block.endedAt = event.timestamp;
    block.isError = Boolean(data.is_error ?? data.error);
  }
}

const common = (event: RunEvent): Common => ({ key: `${event.run_id}.${event.sequence}`, run: event.run_id, at: event.timestamp, who: nameOf(event.source) });

export type Kind = 'all' | 'text' | 'tool' | 'other';

export function chosenBlocks(blocks: Block[], kind: Kind, text: string): Block[] {
  const wanted = text.toLowerCase();
  if (kind === 'all' && !wanted) return blocks;
  return blocks.filter((block) => {
    const isKind = kind === 'all' || (kind === 'other' ? block.kind !== 'text' && block.kind !== 'tool' : block.kind === kind);
    return isKind && (!wanted || haystack(block).includes(wanted));
  });
}

/** As it is shown. */
function haystack(block: Block): string {
  switch (block.kind) {
    case 'text': return block.text.toLowerCase();
    case 'tool': return `${block.tool} ${worded(block.given)} ${worded(block.result)} ${block.who}`.toLowerCase();
    case 'gap': return 'gap';
    default: return `${block.name} ${worded(block.data)} ${block.who}`.toLowerCase();
  }
}

/** A value in a line: `url: https://example.org, tries: 3`. */
export function brief(value: unknown): string {
  const text = worded(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function worded(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  let text = '';
  for (const name in value) {
    const one = (value as Record<string, unknown>)[name];
    text += `${text && ', '}${name}: ${typeof one === 'string' ? one : JSON.stringify(one)}`;
  }
  return text;
}
