// The work of folding: what is done, what waits, and what was given up, which can be tried again.
import { useState } from 'preact/hooks';
import type { FoldJob } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { Ago, State, Trouble, Until } from '../parts/marks';
import { seen } from '../parts/seen';
import { useReading } from '../parts/use_reading';
import { many, threadWords } from './words';

const JOBS = 10;
const LOOK_MS = 3000;
const ALL = field('all', 'All of its threads', { type: 'boolean' });

/** The newest, and before them what somebody has to look after, however old it is. */
async function read(agent: string): Promise<{ jobs: FoldJob[]; hasMore: boolean }> {
  const [newest, failed] = await Promise.all([belfry().folds(agent, { limit: JOBS }), belfry().folds(agent, { state: 'failed_terminal', limit: JOBS })]);
  const given = new Set(failed.data.map(({ id }) => id));
  return { jobs: [...failed.data, ...newest.data.filter(({ id }) => !given.has(id))], hasMore: newest.has_more || failed.has_more };
}

interface Props { agent: string; thread: string; tell: (news: string) => void; onChange: () => void }

export function Folds({ agent, thread, tell, onChange }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { value, trouble, again } = useReading(() => read(agent), [agent], LOOK_MS);
  const fold = async ({ all }: Record<string, any>) => {
    const open = await belfry().foldMemory(agent, all || !thread ? {} : { thread_id: thread });
    tell(open === 0 ? 'There is nothing to fold.' : `${many(open, 'job')} open.`);
    again();
    onChange();
  };
  return (
    <section aria-label="Folding">
      <div class="section-head"><h3>Folding</h3><button type="button" class="link" onClick={() => setAsking(true)}>Fold now</button></div>
      {trouble && <Trouble text={trouble} retry={again} />}
      {!value && !trouble && <p class="quiet">Reading…</p>}
      {value && value.jobs.length === 0 && <p class="quiet">Nothing was folded this week, and nothing waits.</p>}
      <ul class="folds" aria-label="Jobs">{value?.jobs.map((job) => <Job key={job.id} agent={agent} job={job} again={again} tell={tell} />)}</ul>
      {value?.hasMore && <p class="quiet"><code>belfry memory folds {seen(agent)}</code> has more.</p>}
      {isAsking && (
        <FormDialog title="Fold now?" deed="Fold it" fields={[ALL]} send={fold} onClose={() => setAsking(false)}>
          <p>What is hot becomes a summary without waiting until it is due. Nothing is lost by that: a summary opens again.</p>
        </FormDialog>
      )}
    </section>
  );
}

function Job({ agent, job, again, tell }: { agent: string; job: FoldJob; again: () => void; tell: (news: string) => void }) {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const what = `${many(job.messages, job.depth > 1 ? 'summary' : 'message')} of ${seen(threadWords(agent, job.thread_id))}`;
  const restart = async () => {
    setBusy(true);
    setTrouble(null);
    try {
      await belfry().restartFold(agent, job.id);
      tell('It is tried again.');
      again();
    } catch (failure) {
      setTrouble(words(failure));
    }
    setBusy(false);
  };
  return (
    <li class="fold">
      <p class="facts"><State of={job.state === 'failed_terminal' ? 'given_up' : job.state} /><Ago at={job.updated_at} /><span>by {job.summarizer === 'model' ? 'a model' : 'rules'}</span>
        {job.attempts > 1 && <span>{job.attempts} attempts</span>}{job.state === 'pending' && job.next_attempt_at && <span>next <Until at={job.next_attempt_at} /></span>}</p>
      <p>{what}</p>
      {job.last_error && job.state !== 'done' && <p class="bad said">{seen(job.last_error)}</p>}
      {trouble && <Trouble text={trouble} />}
      {job.state === 'failed_terminal' && <p><button type="button" aria-label={`Try again to fold ${what}`} disabled={isBusy} onClick={() => void restart()}>Try again</button></p>}
    </li>
  );
}
