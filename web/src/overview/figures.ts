// The figures of the overview: each is a line of the chart made from two readings, one after the other.
import { bytes, count, duration } from '../parts/time';
import { type Reading, quantile, rate } from './metrics';

export interface Moment extends Reading { fileBytes: number; walBytes: number }
export interface Figure {
  title: string;
  lines: { name: string; of: (before: Moment, after: Moment) => number | null }[];
  shown: (value: number) => string;
  /** The lines are parts of a whole: that is what is told first. */
  isSum?: boolean;
}
export interface Group { title: string; figures: Figure[] }

const perSecond = (value: number) => `${count(Math.round(value * 10) / 10)}/s`;
const counted = (value: number) => count(value);
const time = (seconds: number) => (seconds < 0.001 ? `${Math.round(seconds * 1e6)} µs` : duration(seconds * 1000));
const counter = (name: string, title: string) => ({ name: title, of: (a: Moment, b: Moment) => rate(a, b, `belfry_${name}`) });
const gauge = (name: string, title: string) => ({ name: title, of: (_: Moment, b: Moment) => b.samples.get(`belfry_${name}`) ?? 0 });
const below = (name: string) => [[0.5, 'half are below'], [0.95, '95 % are below']].map(([part, title]) => ({ name: title as string, of: (a: Moment, b: Moment) => quantile(a, b, `belfry_${name}`, part as number) }));
const states = (name: string, all: string[]) => all.map((state) => gauge(`${name}{state="${state}"}`, state));

export const GROUPS: Group[] = [
  {
    title: 'Rates',
    figures: [
      { title: 'Events', shown: perSecond, lines: [counter('events_accepted_total', 'taken in'), counter('events_refused_total', 'refused')] },
      { title: 'Notifications', shown: perSecond, lines: [counter('notifications_made_total', 'made'), counter('notifications_handed_over_total', 'handed to agents')] },
      { title: 'Run events', shown: perSecond, lines: [counter('run_events_total', 'taken in')] },
      { title: 'Requests', shown: perSecond, lines: [counter('http_requests_total', 'all'), counter('http_errors_client_total', 'refused')] },
      { title: 'Owed effects', shown: perSecond, lines: [counter('obligations_finished_total', 'done'), counter('obligations_failed_total', 'failed')] },
      { title: 'Commits', shown: perSecond, lines: [counter('commits_total', 'commits')] },
    ],
  },
  {
    title: 'Queues and readers',
    figures: [
      { title: 'Open notifications', shown: counted, isSum: true, lines: states('notifications_open', ['pending', 'dispatched', 'locked', 'escalated']) },
      { title: 'Open runs', shown: counted, isSum: true, lines: states('runs_open', ['running', 'pending']) },
      { title: 'Batches that gather', shown: counted, lines: [gauge('batches_open', 'batches'), gauge('batch_rows_open', 'rows in them')] },
      { title: 'Questions that wait', shown: counted, lines: [gauge('interactions_open', 'for a person')] },
      { title: 'Owed effects that wait', shown: counted, lines: [gauge('obligations_open', 'to be done')] },
      { title: 'Commands that wait', shown: counted, lines: [gauge('queue_commands', 'commands')] },
      { title: 'Bytes that wait', shown: bytes, lines: [gauge('queue_bytes', 'bytes')] },
      { title: 'Connections', shown: counted, lines: [gauge('connections', 'open'), gauge('stream_readers', 'follow a stream')] },
    ],
  },
  {
    title: 'Latency and storage',
    figures: [
      { title: 'Delivery', shown: time, lines: below('delivery_seconds') },
      { title: 'HTTP', shown: time, lines: below('http_seconds') },
      { title: 'Commit', shown: time, lines: below('commit_seconds') },
      { title: 'Storage', shown: bytes, lines: [{ name: 'all', of: (_, b) => b.fileBytes + b.walBytes }, { name: 'write-ahead log', of: (_, b) => b.walBytes }] },
    ],
  },
];
