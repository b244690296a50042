// Recall: what was ever said, by its words, as the agent itself looks for it.
import { useEffect } from 'preact/hooks';
import type { AgentMessageKind, RecalledMessage } from 'belfry-client/wire';
import { belfry } from '../access';
import { hasWord } from '../journal/words';
import { Empty, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { Select } from '../parts/select';
import { moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { narrow } from '../route';
import { hitsIn, threadWords } from './words';

const RESULTS = 50;
const TYPING_MS = 150;
const KINDS = (['user', 'thought', 'action', 'tool_result', 'observation', 'system'] as const).map((value) => ({ value, label: value.replaceAll('_', ' ') }));

interface Props { agent: string; text: string; kind: string; thread: string | null; /** Another one: something was forgotten. */ stamp: number; open: (id: string) => void }

export function Found({ agent, text, kind, thread, stamp, open }: Props) {
  const known = KINDS.some(({ value }) => value === kind) ? (kind as AgentMessageKind) : undefined;
  const read = async () => (hasWord(text) ? (await belfry().searchMemory(agent, text, { limit: RESULTS, kind: known, thread_id: thread ?? undefined })).data : []);
  const { value, trouble, again } = useReading<RecalledMessage[]>(read, [agent, known, thread]);
  useEffect(() => {
    const timer = setTimeout(again, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, stamp]);
  return (
    <section class="found" aria-label="What was found">
      <div class="section-head">
        <h3>Found in {thread === null ? 'all that it remembers' : seen(threadWords(agent, thread))}</h3>
        <Select label="Kind" all="All kinds" choices={KINDS} value={known ?? ''} onChoose={(one) => narrow({ kind: one || null })} />
      </div>
      {trouble && <Trouble text={trouble} retry={again} />}
      <p class="quiet" role="status">{value ? (value.length === RESULTS ? `The first ${RESULTS}` : `${value.length} found`) : trouble ? '' : 'Reading…'}</p>
      {value?.length === 0 && <Empty title="Nothing was found">Words count as a whole; summaries are not looked through.</Empty>}
      <ol class="results">
        {value?.map((one) => (
          <li key={one.message_id} class="remembered" data-entry={one.message_id} tabIndex={-1}>
            <p class="facts"><strong class="message-kind">{one.kind.replaceAll('_', ' ')}</strong><time dateTime={one.created_at}>{moment(one.created_at)}</time><span>{seen(threadWords(agent, one.thread_id))}</span>
              <button type="button" class="link" data-open aria-label={`The whole ${one.kind.replaceAll('_', ' ')} message of ${moment(one.created_at)}`} onClick={() => open(one.message_id)}>Whole</button></p>
            <p class="said">{hitsIn(one.snippet, text).map(({ text: piece, isHit }, at) => (isHit ? <mark key={at}>{seen(piece)}</mark> : seen(piece)))}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
