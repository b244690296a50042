// What a person can do with an agent. Each is asked for once more before it is done.
import { useState } from 'preact/hooks';
import type { Agent } from 'belfry-client/wire';
import { belfry } from '../access';
import { field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { localMinute, moment } from '../parts/time';
import { go } from '../route';
import { INPUT, inputOf } from './input';
import { nameOf } from './names';
import { isAsleep } from './words';

type Deed = 'wake' | 'sleep' | 'rouse' | 'rest' | 'return' | 'destroy';

/** Under one id a wake is asked for once, also where its answer was lost. */
function newRequest(): string {
  return `web-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, '0')).join('')}`;
}

export function Actions({ agent, again }: { agent: Agent; again: () => void }) {
  const [deed, setDeed] = useState<Deed | null>(null);
  if (agent.lifecycle === 'destroyed') return null;
  const isDormant = agent.lifecycle === 'dormant';
  return (
    <p class="actions" role="group" aria-label="What to do with it">
      <button type="button" class="primary" onClick={() => setDeed('wake')}>Wake now</button>
      {isAsleep(agent, Date.now()) ? <button type="button" onClick={() => setDeed('rouse')}>End its sleep</button> : <button type="button" onClick={() => setDeed('sleep')}>Put to sleep</button>}
      {isDormant ? <button type="button" onClick={() => setDeed('return')}>Make active</button> : <button type="button" onClick={() => setDeed('rest')}>Let rest</button>}
      <button type="button" class="danger" onClick={() => setDeed('destroy')}>Destroy</button>
      {deed && <Question deed={deed} agent={agent} again={again} onClose={() => setDeed(null)} />}
    </p>
  );
}

function Question({ deed, agent, again, onClose }: { deed: Deed; agent: Agent; again: () => void; onClose: () => void }) {
  const [request] = useState(newRequest);
  const [tomorrow] = useState(() => localMinute(Date.now() + 24 * 3_600_000));
  const name = nameOf(agent);
  const change = (patch: object) => async () => {
    await belfry().changeAgent(agent.id, patch);
    again();
  };
  switch (deed) {
    case 'wake': {
      const send = async ({ input }: { input?: string }) => {
        const given = inputOf(input);
        const made = await belfry().wakeAgent(agent.id, { request_id: request, ...(given ? { input: given } : {}) });
        again();
        go('wakes', made.id);
      };
      return (
        <FormDialog title={`Wake ${name} now?`} deed="Wake it" fields={[INPUT]} send={send} onClose={onClose}>
          <p>What waits for it is done along with this.</p>
        </FormDialog>
      );
    }
    case 'sleep': {
      const until = field('state.sleep_until', 'Until', { type: 'moment', isRequired: true, preset: tomorrow });
      const send = ({ [until.name]: sleep_until }: Record<string, any>) => change({ state: { sleep_until } })();
      return (
        <FormDialog title={`Put ${name} to sleep?`} deed="Put to sleep" fields={[until]} send={send} onClose={onClose}>
          <p>What would wake it until then is not made up for.</p>
        </FormDialog>
      );
    }
    case 'rouse': return (
      <FormDialog title={`End the sleep of ${name}?`} deed="End its sleep" leave="Let it sleep" send={change({ state: { sleep_until: null } })} onClose={onClose}>
        <p>It sleeps until {moment(agent.state.sleep_until!)}.</p>
      </FormDialog>
    );
    case 'rest': return (
      <FormDialog title={`Let ${name} rest?`} deed="Let it rest" send={change({ dormant: true })} onClose={onClose}>
        <p>It becomes dormant: nothing wakes it until somebody makes it active again.</p>
      </FormDialog>
    );
    case 'return': return (
      <FormDialog title={`Make ${name} active?`} deed="Make active" leave="Let it rest" send={change({ dormant: false })} onClose={onClose}>
        <p>It can be woken again, and its failures are forgotten.</p>
      </FormDialog>
    );
    case 'destroy': return (
      <FormDialog title={`Destroy ${name}?`} deed="Destroy it" leave="Let it live" isDanger onClose={onClose} send={async () => { await belfry().destroyAgent(agent.id); again(); }}>
        <p>Its wakes end, its run is cancelled, and nobody else gets the id <code>{agent.id}</code>. That cannot be taken back.</p>
      </FormDialog>
    );
  }
}
