// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doing, nextWake } from '../src/agents/words';
import { countWords, gistOf, progressOf, toolWords } from '../src/changes/words';
import { allowancesOf } from '../src/conversation/allowances';
import { faultOf, fieldsOf } from '../src/conversation/fields';
import { labelOf, leafBelow, pathTo, rowsOf } from '../src/conversation/tree';
import { pathOf } from '../src/overview/curve';
import { parseMetrics, quantile, rate } from '../src/overview/metrics';
import { valueOf } from '../src/parts/field';
import { ago, bytes, clock, count, duration, localMinute, until } from '../src/parts/time';
import { hrefOf, parseRoute } from '../src/route';
import { familyOf } from '../src/runs/family';
import { scaleOf } from '../src/runs/scale';
import { firingWords, noteWords, scheduleWords } from '../src/timers/words';
import { endWords, reasonWords, signalWords } from '../src/wakes/words';

const now = Date.parse('2026-11-15T12:00:00Z');

test('how long ago, in few characters', () => {
  const cases = [['2026-11-15T11:59:30Z', 'now'], ['2026-11-15T11:56:00Z', '4 min'], ['2026-11-15T09:00:00Z', '3 h'], ['2026-11-13T09:00:00Z', 'Fri'],
    ['2026-03-12T09:00:00Z', '12 Mar'], ['2024-03-12T09:00:00Z', '12 Mar 2024'], ['2026-11-15T12:00:09Z', 'now'], ['nonsense', '']];
  for (const [at, said] of cases) assert.equal(ago(at, now), said, at);
});

test('durations, counts and sizes', () => {
  assert.deepEqual([0, 840, 2000, 3240, 59_900, 250_000, 7_500_000, 100 * 3_600_000, -1].map(duration), ['0 ms', '840 ms', '2 s', '3.2 s', '59 s', '4 min 10 s', '2 h 5 min', '4 d 4 h', '']);
  assert.deepEqual([0, 1.26, 980, 12_400, 3_100_000].map(count), ['0', '1.3', '980', '12.4 k', '3.1 M']);
  assert.deepEqual([0, 900, 4096, 1_572_864, 3 * 1024 ** 4].map(bytes), ['0 B', '900 B', '4 KB', '1.5 MB', '3 TB']);
  assert.equal(clock('2026-11-15T15:30:01Z'), '15:30:01');
});

test('how long it still takes', () => {
  const cases = [['2026-11-15T11:59:59Z', 'now'], ['2026-11-15T12:00:00.100Z', 'in 1 s'], ['2026-11-15T12:00:40Z', 'in 40 s'], ['2026-11-15T12:04:00Z', 'in 4 min'], ['2026-11-15T15:00:00Z', 'in 3 h'], ['2026-11-17T12:00:00Z', 'in 2 d'], ['nonsense', '']];
  for (const [at, said] of cases) assert.equal(until(at, now), said, at);
  assert.equal(localMinute(now), '2026-11-15T12:00');
});

test('why an agent was woken, in plain words', () => {
  const event = (type) => ({ kind: 'event', key: 'e', rule: 'r', body: { type }, came_at: '' });
  const wake = (reason, signals, more = {}) => ({ reason, reason_id: 'r', user_id: 'ada', signals, timer_catchup: false, ...more });
  const said = (one, ...signals) => reasonWords(one, signals, 'ada');
  const three = [event('ci.failed'), event('ci.failed'), event('ci.failed')];
  assert.equal(said(wake('subscription', 3), ...three), '3 events of ci.failed');
  assert.equal(said(wake('subscription', 1), event('ci.failed')), '1 event of ci.failed');
  assert.equal(said(wake('subscription', 2), event('ci.failed'), event('ci.slow')), '2 events: ci.failed, ci.slow');
  assert.equal(said(wake('subscription', 12), ...three), '12 events: ci.failed, …');
  assert.equal(said(wake('subscription', 3)), '3 signals', 'which are not known');
  const changes = (...records) => ({ kind: 'change', key: 'b', rule: 'r', body: { batch_id: 'b', changes: records.map(([kind, id]) => ({ kind, id })) }, came_at: '' });
  assert.equal(said(wake('subscription', 1), changes(['agent', 'coach'])), '1 change of coach');
  assert.equal(said(wake('subscription', 2), changes(['agent', 'coach'], ['agent_state', 'coach']), changes(['agent', 'fixer'])), '3 changes of coach, fixer');
  assert.equal(said(wake('subscription', 9), changes(['agent', 'coach'], ['agent_message', 'm'])), '1 change of coach, 1 new message, …');
  assert.equal(said(wake('subscription', 2), changes(['agent_message', 'm'], ['agent_message', 'n']), changes()), '2 new messages');
  assert.equal(said(wake('subscription', 1), changes()), '1 change', 'a batch too large to be carried');
  assert.equal(said(wake('subscription', 3), event('ci.failed'), changes(['agent', 'coach']), event('ci.failed')), '2 events of ci.failed, and 1 change of coach');
  assert.equal(signalWords(changes(['agent', 'coach']), 'you'), '1 change of coach');
  assert.equal(said(wake('subscription', 2, { reason_id: 'notifications' })), '2 notifications for it to say');
  assert.equal(said(wake('manual', 1)), 'asked for by hand');
  assert.equal(said(wake('manual', 3)), 'asked for by hand, and 2 more that waited');
  assert.equal(said(wake('user_initiated', 1)), 'you spoke to it');
  assert.equal(said(wake('user_initiated', 1, { user_id: 'bob' })), 'bob spoke to it');
  const firing = { kind: 'timer', key: '', rule: 't', body: { name: 'brief', scheduled_at: '2026-11-16T07:00:00Z', timer_catchup: true }, came_at: '' };
  assert.equal(said(wake('timer', 1, { timer_catchup: true }), firing), 'the clock: brief, 16 Nov, 07:00, catch-up');
  assert.equal(said(wake('timer', 1)), 'the clock');
  assert.equal(endWords(wake('subscription', 1, { state: 'not_needed' })), 'What it was to see to was seen to before it began.');
  assert.equal(signalWords(firing, 'you'), 'the clock: brief, 16 Nov, 07:00, catch-up');
});

test('what an agent does, and when it is woken next', () => {
  const agent = (lifecycle, run_status, { sleep_until = null, next_wake_at = null } = {}) => ({ id: 'a', lifecycle, next_wake_at, runtime: { run_status }, state: { sleep_until } });
  const later = '2026-11-15T13:00:00Z';
  assert.equal(doing(agent('active', 'idle'), now), 'idle');
  assert.equal(doing(agent('active', 'idle', { sleep_until: later }), now), 'sleeping');
  assert.equal(doing(agent('active', 'idle', { sleep_until: '2026-11-15T11:00:00Z' }), now), 'idle');
  assert.equal(doing(agent('dormant', 'failed'), now), 'dormant');
  assert.equal(doing(agent('dormant', 'running'), now), 'running');
  assert.equal(doing(agent('destroyed', 'running'), now), 'destroyed');
  const wakes = [{ agent_id: 'a', state: 'running', due_at: '2026-11-15T12:01:00Z' }, { agent_id: 'a', state: 'queued', due_at: '2026-11-15T12:05:00Z' }, { agent_id: 'b', state: 'queued', due_at: '2026-11-15T12:02:00Z' }];
  assert.equal(nextWake(agent('active', 'idle', { next_wake_at: later }), wakes), '2026-11-15T12:05:00Z');
  assert.equal(nextWake(agent('active', 'idle', { next_wake_at: later }), []), later);
  assert.equal(nextWake(agent('active', 'idle'), []), null);
});

test('schedules and firings in plain words', () => {
  assert.equal(scheduleWords({ kind: 'daily', time: '07:00' }), 'daily 07:00');
  assert.equal(scheduleWords({ kind: 'weekly', days: ['mon', 'thu'], time: '18:30' }), 'Mon, Thu 18:30');
  assert.equal(scheduleWords({ kind: 'every', interval: '90m', anchor: '2026-11-15T12:00:00Z' }), 'every 90m');
  assert.equal(scheduleWords({ kind: 'cron', cron: '30 2 * * *' }), 'cron 30 2 * * *');
  assert.equal(scheduleWords({ kind: 'at', at: '2026-11-16T07:00:00Z' }), 'once, 16 Nov, 07:00');
  assert.equal(firingWords({ at: '2026-11-16T06:00:00Z', local: '2026-11-16T07:00:00+01:00', note: null }), 'Mon, 16 Nov, 07:00');
  assert.equal(firingWords({ at: '2026-11-16T06:00:30Z', local: '2026-11-16T07:00:30.250000+01:00', note: null }), 'Mon, 16 Nov, 07:00:30');
  assert.equal(noteWords('gap'), 'the clocks jump over its time');
  assert.equal(noteWords(null), '');
});

test('an address names a page, what is open on it, and what narrows it', () => {
  const href = hrefOf('conversation', 'a b/c', { node: 'x', none: null });
  assert.equal(href, '#/conversation/a%20b%2Fc?node=x');
  const { page, id, query } = parseRoute(href);
  assert.deepEqual([page, id, query.get('node')], ['conversation', 'a b/c', 'x']);
  assert.equal(parseRoute('#/nowhere').page, 'inbox');
});

test('a branch is set in, what follows in one line is not', () => {
  const node = (id, parent_id, content) => ({ id, parent_id, created_at: '', system_messages: [], messages: content ? [{ role: 'user', content }] : [] });
  const nodes = [node('r', null, ''), node('a', 'r', 'first'), node('b', 'a', 'left'), node('c', 'b', 'more\n left'), node('d', 'a', 'right')];
  assert.deepEqual(rowsOf(nodes).map(({ node: { id }, depth, isFork }) => [id, depth, isFork]), [['a', 0, true], ['b', 1, false], ['c', 1, false], ['d', 1, false]]);
  assert.deepEqual([...pathTo(nodes, 'c')], ['c', 'b', 'a', 'r']);
  assert.equal(leafBelow(nodes, 'b'), 'c');
  assert.equal(leafBelow(nodes, 'a'), 'd', 'the newest branch');
  assert.equal(labelOf(nodes[3]), 'more left');
});

test('a conversation of 20,000 nodes in one line is no deep recursion', () => {
  const nodes = Array.from({ length: 20_000 }, (_, at) => ({ id: `n${at}`, parent_id: at === 0 ? null : `n${at - 1}`, created_at: '', messages: [{ role: 'user', content: 'x' }], system_messages: [] }));
  assert.equal(rowsOf(nodes).length, 20_000);
});

test('parents come before their children, also where they are older than the page', () => {
  const run = (id, parent_id) => ({ id, parent_id });
  assert.deepEqual(familyOf([run(4, 2), run(3, 1), run(2, 1), run(1, null), run(9, 7)]).map(({ run: { id }, depth }) => [id, depth]), [[1, 0], [2, 1], [4, 2], [3, 1], [9, 0]]);
});

test('figures: rates, a restart, and quantiles between two readings', () => {
  const before = { at: 0, samples: parseMetrics('# HELP x\nbelfry_a_total 10\nb_bucket{le="0.1"} 0\nb_bucket{le="1"} 0\nb_bucket{le="+Inf"} 0\n') };
  const after = { at: 2000, samples: parseMetrics('belfry_a_total 30\nb_bucket{le="0.1"} 50\nb_bucket{le="1"} 100\nb_bucket{le="+Inf"} 100\n') };
  assert.equal(rate(before, after, 'belfry_a_total'), 10);
  assert.equal(rate(after, { at: 4000, samples: parseMetrics('belfry_a_total 4') }, 'belfry_a_total'), 2, 'it began anew');
  assert.equal(quantile(before, after, 'b', 0.5), 0.1);
  assert.ok(Math.abs(quantile(before, after, 'b', 0.95) - 0.91) < 1e-9);
  assert.equal(quantile(after, after, 'b', 0.5), null);
});

test('a curve ends at the right edge, leaves gaps, and shows a lonely value as a dot', () => {
  assert.deepEqual(pathOf([0, 10, null, 5], 4, 10, 30, 20), { stroke: 'M0 19h0L10 5M30 12h0', area: 'M0 20L0 19L10 5L10 20ZM30 20L30 12L30 20Z' });
});

test('a scale has few ticks, and nothing is too short to be seen', () => {
  const { ticks, place } = scaleOf(1000, 61_000);
  assert.deepEqual(ticks.map(({ label }) => label), ['0', '10 s', '20 s', '30 s', '40 s', '50 s']);
  assert.deepEqual(place(31_000, 31_001), { left: '50%', width: '0.4%' });
  assert.deepEqual(place(0, 99_000), { left: '0%', width: '100%' });
});

test('a form gives what its schema wants', () => {
  const fields = fieldsOf({ required: ['n'], properties: { n: { type: 'integer' }, c: { enum: ['a', 'b'] }, o: { type: 'object' }, yes: { type: 'boolean' } } });
  assert.deepEqual(fields.map(({ name, type, isRequired }) => [name, type, isRequired]), [['n', 'integer', true], ['c', 'choice', false], ['o', 'json', false], ['yes', 'boolean', false]]);
  const typed = (...entries) => { const form = new FormData(); for (const [name, value] of entries) form.append(name, value); return form; };
  const values = (all, form) => all.map((field) => valueOf(field, form));
  assert.deepEqual(values(fields, typed(['n', '7'], ['c', ''], ['o', '{"a":1}'])), [7, undefined, { a: 1 }, false]);
  assert.throws(() => values(fields, typed(['o', '{'])));
  const choices = fieldsOf({ required: ['many'], properties: {
    number: { type: 'integer', enum: [1, 15] }, named: { type: 'string', oneOf: [{ const: 'de', title: 'German' }] }, many: { type: 'array', items: { enum: ['a', 'b', 'c'] } }, maybe: { type: ['string', 'null'] }, any: {} } });
  assert.deepEqual(choices.map(({ type }) => type), ['choice', 'choice', 'choices', 'string', 'json']);
  assert.equal(choices[1].choices[0].title, 'German');
  assert.deepEqual(values(choices, typed(['number', '1'], ['named', '0'], ['many', '0'], ['many', '2'], ['maybe', 'x'])), [15, 'de', ['a', 'c'], 'x', undefined]);
  assert.deepEqual(values(choices, typed())[2], [], 'none of them is an answer, too, where one is wanted');
});

test('a refusal is said at the field that it names', () => {
  const fields = fieldsOf({ properties: { age: { type: 'integer' }, 'age.of_house': { type: 'integer' }, address: {} } });
  const fault = (field, text) => faultOf(fields, { field, text });
  assert.deepEqual(fault('content.age', 'content.age must be at least 18'), { name: 'age', text: 'Must be at least 18' });
  assert.deepEqual(fault('content.age', 'content.age must have a number of characters of at least 4'), { name: 'age', text: 'Must have at least 4 characters' });
  assert.deepEqual(fault('content.age.of_house', 'content.age.of_house must be given'), { name: 'age.of_house', text: 'Must be given' });
  assert.deepEqual(fault('content.address.lines[2]', 'content.address.lines[2] must be of type string'), { name: 'address', text: 'lines[2] must be of type string' });
  assert.deepEqual(fault('content.ages', 'content.ages is not known'), { name: null, text: 'content.ages is not known' });
  assert.deepEqual(fault(null, 'the store is down'), { name: null, text: 'the store is down' });
});

test('what is always allowed, by tool, since the first answer, without what was taken back', () => {
  const allowing = [['3', 'rm', '12:03'], ['1', 'ls', '12:01'], ['2', 'rm', '12:02'], ['2', 'rm', '12:02'], ['4', 'cp', '12:00']].map(([id, tool_name, ended_at]) => ({ id, tool_name, ended_at }));
  assert.deepEqual(allowancesOf(allowing, new Set(['4'])), [{ tool: 'ls', since: '12:01', answers: ['1'] }, { tool: 'rm', since: '12:02', answers: ['3', '2'] }]);
});

test('what an agent proposes, in plain words', () => {
  assert.deepEqual(['create_task', 'send_mail', 'forge.merge-request', 'constructor_', '__'].map(toolWords), ['Make a task', 'Send mail', 'Forge merge request', 'Constructor', '__']);
  assert.equal(toolWords('constructor'), 'Constructor', 'what every object has is no tool');
  const set = (proposed, accepted, rejected, failed) => ({ counts: { proposed, accepted, rejected, failed } });
  assert.equal(countWords(set(2, 0, 0, 0)), '2 open');
  assert.equal(countWords(set(1, 2, 0, 3)), '1 open, 2 accepted, 3 failed');
  assert.equal(countWords(set(0, 0, 1, 0)), '1 rejected');
  const way = [set(1, 0, 0, 0), set(2, 0, 0, 0), set(1, 1, 0, 0), set(2, 1, 0, 0), set(1, 1, 0, 1), set(0, 1, 1, 1)];
  way.slice(1).forEach((next, at) => assert.ok(progressOf(next) > progressOf(way[at]), `${at}`));
  assert.equal(gistOf({ taskId: 't', labelIds: ['a'], title: 'Run', estimateMinutes: 30, deep: { a: 1 }, nothing: null }), 'title Run, estimateMinutes 30');
  assert.equal(gistOf({ text: 'x'.repeat(500) }).length, 121);
});
