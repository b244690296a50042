import { useState } from 'preact/hooks';
import type { Run } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icons';
import { State, Trouble } from '../parts/marks';
import { duration, moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { Values } from '../parts/values';
import { hrefOf, narrow, route } from '../route';
import { Choices } from '../shell/head';
import { Family } from './family_view';
import { isOver, lastedMs, titleOf } from './family';
import { StreamView } from './stream_view';
import { Timeline } from './timeline';
import { ToolTable } from './tool_table';
import { useLog } from './use_log';

const LOOK_MS = 1500;

interface Found { run: Run; family: Run[] }

async function read(id: number): Promise<Found> {
  const run = await belfry().run(id);
  const { data } = await belfry().runs({ root: run.root_id, limit: 1000 });
  return { run, family: data.length > 0 ? data : [run] };
}

export function RunView({ id }: { id: number }) {
  const { value, trouble, again } = useReading(() => read(id), [id], LOOK_MS);
  if (!value) return trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>;
  return <OneRun found={value} again={again} />;
}

function OneRun({ found: { run, family }, again }: { found: Found; again: () => void }) {
  const { query } = route.value;
  const hasTree = family.length > 1 || run.tree;
  const isTree = hasTree && query.get('scope') !== 'run';
  const view = query.get('view') ?? 'stream';
  const stream = useLog(isTree ? run.root_id : run.id, isTree, again);
  const names = new Map(family.map((one) => [one.id, titleOf(one)]));
  return (
    <article class="run">
      <a class="back" href={hrefOf('runs', null, { state: query.get('state') })}><Icon name="back" />Runs</a>
      <header>
        <h2>{titleOf(run)}</h2>
        <p class="facts"><State of={run.paused ? 'paused' : run.state} /><span>#{run.id}</span>{run.started_at && <span>{duration(lastedMs(run, Date.now()))}</span>}<span>{stream.log.events} events</span>
          {stream.isLost && <span class="lost">reconnecting…</span>}{run.session_id && <a href={hrefOf('conversation', run.session_id)}>{run.session_id}</a>}<Control run={run} again={again} /></p>
        {run.error && <p class="trouble">{run.error.type}: {run.error.message}</p>}
        {run.cancel_reason && <p class="quiet">Cancelled: {run.cancel_reason}</p>}
      </header>
      {hasTree && <Family family={family} current={run.id} />}
      <div class="tabs">
        <Choices label="View" value={view} onChoose={(one) => narrow({ view: one === 'stream' ? null : one })}
          choices={[{ value: 'stream', label: 'Stream' }, { value: 'timeline', label: 'Timeline' }, { value: 'tools', label: 'Tool calls', count: stream.log.tools.length }, { value: 'facts', label: 'Facts' }]} />
        {hasTree && <Choices label="Whose events" value={isTree ? 'tree' : 'run'} onChoose={(one) => narrow({ scope: one === 'run' ? 'run' : null })}
          choices={[{ value: 'tree', label: 'Whole tree' }, { value: 'run', label: 'This run' }]} />}
      </div>
      {stream.trouble && <Trouble text={stream.trouble} />}
      {view === 'stream' && <StreamView stream={stream} names={isTree ? names : null} isStarted={run.started_at !== null} />}
      {view === 'timeline' && <Timeline family={isTree ? family : [run]} tools={stream.log.tools} stamp={stream.stamp} />}
      {view === 'tools' && <ToolTable tools={stream.log.tools} stamp={stream.stamp} />}
      {view === 'facts' && <Facts run={run} />}
    </article>
  );
}

function Control({ run, again }: { run: Run; again: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  if (isOver(run)) return null;
  const act = (what: Promise<Run>) => what.then(again, (failure) => setTrouble(words(failure)));
  const cancel = (event: SubmitEvent) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget as HTMLFormElement).get('reason') ?? '').trim();
    setAsking(false);
    void act(belfry().cancelRun(run.id, reason ? { reason } : {}));
  };
  return (
    <span class="control">
      {run.state === 'running' && <button type="button" onClick={() => void act(run.paused ? belfry().resumeRun(run.id) : belfry().pauseRun(run.id))}>{run.paused ? 'Resume' : 'Pause'}</button>}
      <button type="button" class="danger" onClick={() => setAsking(true)}>Cancel run</button>
      {trouble && <Trouble text={trouble} />}
      {isAsking && (
        <Dialog title={`Cancel “${titleOf(run)}”?`} onClose={() => setAsking(false)}>
          <form onSubmit={cancel}>
            <p>It ends, and so do its children. That cannot be taken back.</p>
            <label class="stacked">Why (optional)<input name="reason" maxLength={500} autofocus /></label>
            <p class="actions"><button type="submit" class="danger">Cancel the run</button><button type="button" onClick={() => setAsking(false)}>Let it run</button></p>
          </form>
        </Dialog>
      )}
    </span>
  );
}

function Facts({ run }: { run: Run }) {
  return (
    <div class="facts-view" tabIndex={0} role="region" aria-label="Facts">
      <dl class="particulars">
        <div><dt>User</dt><dd>{run.user_id}</dd></div>
        {run.agent_id && <div><dt>Agent</dt><dd>{run.agent_id}</dd></div>}
        {run.hierarchy_id && <div><dt>Team</dt><dd>{run.hierarchy_id}</dd></div>}
        {run.caller && <div><dt>Caller</dt><dd>{run.caller.agent_name}, {run.caller.agent_type.replaceAll('_', ' ')}{run.caller.team_name && ` of ${run.caller.team_name}`}</dd></div>}
        <div><dt>Made</dt><dd>{moment(run.created_at)}</dd></div>
        {run.started_at && <div><dt>Started</dt><dd>{moment(run.started_at)}</dd></div>}
        {run.ended_at && <div><dt>Ended</dt><dd>{moment(run.ended_at)}</dd></div>}
        {run.expires_at && <div><dt>Kept until</dt><dd>{moment(run.expires_at)}</dd></div>}
        {run.run_key && <div><dt>Key</dt><dd><code>{run.run_key}</code></dd></div>}
      </dl>
      {run.result !== null && run.result !== undefined && <section><h3>Result</h3><Values value={run.result} /></section>}
      {Object.keys(run.metadata).length > 0 && <section><h3>Metadata</h3><Values value={run.metadata} /></section>}
    </div>
  );
}
