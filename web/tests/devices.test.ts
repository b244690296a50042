// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindWords, hostWords, kindWords, missingCount, rangeWords, ruleWords, standingOf, valueWords } from '../src/devices/words';

const peer = (more = {}) => ({ id: '3f9a01c2d4e5', name: 'desk', host: 'h1', link: 'none', connected: false, last_seen_at: null, revoked_at: null, unsent: 0, unreceived: 0, in_whole: false, ...more });

test('how a device stands', () => {
  const standings = [peer(), peer({ last_seen_at: 'T' }), peer({ link: 'calling' }), peer({ link: 'up', connected: true }), peer({ connected: true, revoked_at: 'T' })].map(standingOf);
  assert.deepEqual(standings, ['new', 'away', 'calling', 'connected', 'revoked']);
});

test('what is behind, each way', () => {
  assert.deepEqual(behindWords(peer()), []);
  assert.deepEqual(behindWords(peer({ unsent: 1, unreceived: 1200, in_whole: true })), ['It has yet to hear of 1 change.', 'This device has yet to hear of 1,200 changes.', 'It is telling all that it has.']);
});

test('whose a host is', () => {
  const status = { device: { host: 'h0' }, peers: [peer(), peer({ id: 'aabbccddeeff', name: '', host: 'h2' })], missing: [{ from: 4, to: 6 }, { from: 9, to: 9 }] };
  assert.deepEqual(['h0', 'h1', 'h2', '0123456789ab.cd'].map((one) => hostWords(one, status)), ['this device', 'desk', 'aabbccdd', 'host 01234567']);
  assert.equal(missingCount(status), 4);
  assert.deepEqual(status.missing.map(rangeWords), ['4 to 6', '9']);
});

test('values and rules are words', () => {
  assert.deepEqual(['null', '""', '"Oat milk"', '7', '{"a":1}', '"a long te…'].map(valueWords), ['nothing', 'an empty text', 'Oat milk', '7', '{"a":1}', '"a long te…']);
  assert.equal(kindWords({ kind: 'agent_state' }), 'agent state');
  assert.equal(ruleWords('something_new'), 'something new');
  assert.match(ruleWords('least'), /stays so/);
});
