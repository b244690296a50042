// How devices stand with each other, in words that a person reads.
import type { MergeNote, Peer, SyncStatus } from 'belfry-client/wire';

/** `3 changes`, `1 change`. */
export const many = (count: number, what: string) => `${count.toLocaleString('en-GB')} ${what}${count === 1 ? '' : 's'}`;

/** As much of an id as the command line shows and takes. */
export const shortId = (id: string) => id.slice(0, 8);

export type Standing = 'connected' | 'calling' | 'away' | 'new' | 'revoked';
export function standingOf(peer: Peer): Standing {
  if (peer.revoked_at) return 'revoked';
  if (peer.connected) return 'connected';
  if (peer.link === 'calling') return 'calling';
  return peer.last_seen_at ? 'away' : 'new';
}
export const STANDINGS: Record<Standing, string> = { connected: 'connected', calling: 'calling it', away: 'not connected', new: 'was never here', revoked: 'revoked' };

/** What one lacks of the other; nothing: they know the same. */
export function behindWords({ unsent, unreceived, in_whole }: Peer): string[] {
  return [
    ...(unsent > 0 ? [`It has yet to hear of ${many(unsent, 'change')}.`] : []),
    ...(unreceived > 0 ? [`This device has yet to hear of ${many(unreceived, 'change')}.`] : []),
    ...(in_whole ? ['It is telling all that it has.'] : []),
  ];
}

/** `4 to 6`, `9`. */
export const rangeWords = ({ from, to }: { from: number; to: number }) => (from === to ? String(from) : `${from} to ${to}`);

export const missingCount = (status: SyncStatus) => status.missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** Whose a host is, as far as it is known here. */
export function hostWords(host: string, status: SyncStatus): string {
  if (host === status.device.host) return 'this device';
  const peer = status.peers.find((one) => one.host === host);
  return peer ? peer.name || shortId(peer.id) : `host ${shortId(host)}`;
}

const RULES: Record<string, string> = {
  latest: 'the later write, or of two at once the one that all devices choose alike',
  first: 'what was given first',
  least: 'the smallest: what was deleted or read stays so',
  greatest: 'the greatest',
  counters: 'of each host the greatest',
  concurrent_least: 'of two at once the smaller',
  concurrent_greatest: 'of two at once the greater',
  concurrent_lifecycle: 'of two at once: destroyed before dormant before active',
};
export const ruleWords = (rule: string) => RULES[rule] ?? rule.replaceAll('_', ' ');

/** `task`, `agent state`. */
export const kindWords = (note: MergeNote) => note.kind.replaceAll('_', ' ');

/** Texts without their quotes; what there is not, as a word. */
export function valueWords(value: string): string {
  if (value === 'null' || value === '') return 'nothing';
  try {
    const read = JSON.parse(value);
    return typeof read === 'string' ? read || 'an empty text' : value;
  } catch {
    return value; // it was shortened
  }
}
