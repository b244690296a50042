// To forget is for good, and is asked for once more.
import type { MemoryThread } from 'belfry-client/wire';
import { belfry } from '../access';
import { FormDialog } from '../parts/form_dialog';
import { seen } from '../parts/seen';
import { clipped, many, threadWords } from './words';

/** `said`: by which a person knows the message. */
export type Wish = { message_id: string; said: string } | { thread_id: string };

interface Props { agent: string; name: string; wish: Wish; thread: MemoryThread | undefined; onDone: (news: string) => void; onClose: () => void }

export function ForgetDialog({ agent, name, wish, thread, onDone, onClose }: Props) {
  const isThread = 'thread_id' in wish;
  const send = async () => {
    const gone = { messages: 0, summaries: 0 };
    for (let hasMore = true; hasMore;) {
      const found = await belfry().forgetMemory(agent, 'thread_id' in wish ? wish : { message_id: wish.message_id });
      gone.messages += found.messages;
      gone.summaries += found.summaries;
      hasMore = found.has_more;
    }
    onDone(`Forgotten: ${many(gone.messages, 'message')} and ${many(gone.summaries, 'summary')}.`);
  };
  return (
    <FormDialog title={isThread ? 'Forget this thread for good?' : 'Forget this message for good?'} deed="Forget for good" leave="Keep it" isDanger send={send} onClose={onClose}>
      {isThread && <p>All that {name} remembers of <strong>{seen(threadWords(agent, wish.thread_id))}</strong>{thread && `, ${many(thread.messages, 'message')},`} is taken away.</p>}
      {!isThread && wish.said && <p class="said quoted">{seen(clipped(wish.said))}</p>}
      <p>It is gone for good, with every summary that was made of it; what else those told of is told by new ones. That cannot be taken back, and no search finds it again.</p>
    </FormDialog>
  );
}
