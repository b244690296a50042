import { line } from '../connection';
import { Trouble } from '../parts/marks';
import { bytes, count, duration } from '../parts/time';
import { Head } from '../shell/head';
import { Chart } from './chart';
import { GROUPS } from './figures';
import { KEPT, moments, status, trouble } from './readings';

const SHOWN_LEAST = 30; // so that the first readings are not a stroke at the edge

export function OverviewPage() {
  const kept = moments.value;
  return (
    <>
      <Head title="Overview" />
      <div class="sheet" tabIndex={0} role="region" aria-label="Figures">
        {trouble.value && line.value === 'live' && <Trouble text={trouble.value} />}
        <Daemon />
        {GROUPS.map((group) => (
          <section key={group.title} class="charts" aria-label={group.title}>
            <h2>{group.title}</h2>
            <div>
              {group.figures.map((figure) => (
                <Chart key={figure.title} title={figure.title} shown={figure.shown} isSum={figure.isSum} length={Math.min(KEPT, Math.max(SHOWN_LEAST, kept.length - 1))}
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
