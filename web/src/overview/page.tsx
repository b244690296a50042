import { useEffect, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { BelfryError } from 'belfry-client';
import type { Status } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { line } from '../connection';
import { Trouble } from '../parts/marks';
import { bytes, count, duration } from '../parts/time';
import { Head } from '../shell/head';
import { Chart } from './chart';
import { GROUPS, type Moment } from './figures';
import { parseMetrics } from './metrics';

const LOOK_MS = 2000;
const KEPT = 150; // readings: five minutes
const SHOWN_LEAST = 30; // so that the first readings are not a stroke at the edge

/** Kept while another page is looked at, so that the charts go on where they were. */
const moments = signal<Moment[]>([]);
const status = signal<Status | null>(null);

async function look() {
  const [text, found] = await Promise.all([belfry().metrics(), belfry().status()]);
  status.value = found;
  const next = { at: Date.now(), samples: parseMetrics(text), fileBytes: found.store.file_bytes, walBytes: found.store.wal_bytes };
  moments.value = [...moments.value, next].slice(-KEPT - 1);
}

export function OverviewPage() {
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    const go = () => {
      if (document.hidden) return;
      look().then(() => setTrouble(null), (failure) => {
        setTrouble(failure instanceof BelfryError && failure.code === 'forbidden' ? 'Figures need a token of role service or admin.' : words(failure));
      });
    };
    go();
    const timer = setInterval(go, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const kept = moments.value;
  return (
    <>
      <Head title="Overview" />
      <div class="sheet" tabIndex={0} role="region" aria-label="Figures">
        {trouble && line.value === 'live' && <Trouble text={trouble} />}
        <Daemon />
        {GROUPS.map((group) => (
          <section key={group.title} class="charts" aria-label={group.title}>
            <h2>{group.title}</h2>
            <div>
              {group.figures.map((figure) => (
                <Chart key={figure.title} title={figure.title} shown={figure.shown} length={Math.max(SHOWN_LEAST, kept.length - 1)}
                  lines={figure.lines.map(({ name, of }) => ({ name, values: kept.slice(1).map((moment, at) => of(kept[at]!, moment)) }))} />
              ))}
            </div>
          </section>
        ))}
      </div>
    </>
  );
}

function Daemon() {
  const found = status.value;
  if (!found) return null;
  const events = found.streams.find((stream) => stream.name === 'events');
  const facts: [string, string][] = [
    ['State', found.readiness.replaceAll('_', ' ')],
    ['Up', duration(Date.parse(found.now) - Date.parse(found.started_at))],
    ['Events in the log', count((events?.head ?? 0) - (events?.floor ?? 0))],
    ['Commits', count(found.store.commit_number)],
    ['Store', `${found.store.backend}, ${bytes(found.store.file_bytes + found.store.wal_bytes)}`],
    ['Version', found.version],
  ];
  return <dl class="daemon">{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}
