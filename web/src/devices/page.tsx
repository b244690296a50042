// The devices that share what is here: who they are, what is behind, and what was merged and why.
import { useState } from 'preact/hooks';
import type { SyncStatus } from 'belfry-client/wire';
import { belfry } from '../access';
import { Empty, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { Head } from '../shell/head';
import { Merges } from './merges';
import { ShowCode, TypeCode } from './pair';
import { PeerView } from './peer_view';
import { hostWords, many, missingCount, rangeWords } from './words';

const LOOK_MS = 2000;

export function DevicesPage() {
  const [asked, setAsked] = useState<'show' | 'type' | null>(null);
  const [news, setNews] = useState('');
  const { value: status, trouble, again } = useReading(() => belfry().syncStatus(), [], LOOK_MS);
  const done = (said: string) => {
    setNews(said);
    again();
  };
  const close = () => setAsked(null);
  return (
    <>
      <Head title="Devices">
        <button type="button" onClick={() => setAsked('show')}>Show a code</button>
        <button type="button" onClick={() => setAsked('type')}>Type a code</button>
      </Head>
      <div class="sheet devices-sheet" tabIndex={0} role="region" aria-label="Devices">
        <p class="news" role="status">{news}</p>
        {trouble && <Trouble text={trouble} retry={again} />}
        {status && <Facts status={status} />}
        {status && status.peers.length === 0 && <Empty title="This device is alone">Pair it with another one: they then share agents, what they remember, and the journal.</Empty>}
        {status && status.peers.length > 0 && (
          <section aria-label="Peers">
            <h2>Peers</h2>
            <ul class="peers" aria-label="Peers">{status.peers.map((peer) => <PeerView key={peer.id} peer={peer} again={again} tell={setNews} />)}</ul>
          </section>
        )}
        {status && status.missing.length > 0 && <Gaps status={status} />}
        {status && (status.peers.length > 0 || status.merges > 0) && <Merges status={status} />}
      </div>
      {asked === 'show' && <ShowCode known={status?.peers ?? []} onDone={done} onClose={close} />}
      {asked === 'type' && <TypeCode onDone={done} onClose={close} />}
    </>
  );
}

function Facts({ status }: { status: SyncStatus }) {
  const own = status.hosts.filter((one) => one.is_own).reduce((sum, one) => sum + one.settled, 0);
  const others = status.hosts.filter((one) => !one.is_own);
  const facts: [string, string][] = [
    ['This device', seen(status.device.name ?? '') || 'without a name'],
    ['Listens on', status.device.listens_on ?? 'nothing: it calls others'],
    ['Changes of its own', own.toLocaleString('en-GB')],
    ['Of others', `${others.reduce((sum, one) => sum + one.settled, 0).toLocaleString('en-GB')} of ${many(others.length, 'host')}`],
    ['Fields merged', status.merges.toLocaleString('en-GB')],
  ];
  return <dl class="daemon">{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function Gaps({ status }: { status: SyncStatus }) {
  return (
    <section aria-label="Gaps">
      <h2>{many(missingCount(status), 'change')} that nobody could give so far</h2>
      <p class="quiet">They are asked for until whoever made them says that they cannot be given any more.</p>
      <ul class="gaps">{status.missing.map((one) => <li key={`${one.host}${one.from}`}>{rangeWords(one)} of {seen(hostWords(one.host, status))}, since {moment(one.since)}</li>)}</ul>
    </section>
  );
}
