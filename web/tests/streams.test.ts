// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosen } from '../src/inbox/filter';
import { merged, titleOf } from '../src/inbox/item';
import { lifeMore, lifeWords } from '../src/runs/life';
import { parseRoute } from '../src/route';
import { RunLog, chosenBlocks } from '../src/runs/log';

const item = (more = {}) => ({ id: 'n', text: 'Tea', content: 'Tea', metadata: {}, priority: 'normal', owner_lease: 1, version: 1, state: 'dispatched', seen_at: null, acted_at: null, dismissed_at: null, narration: null, ...more });

test('what comes twice or late makes one item', () => {
  const first = merged(undefined, item());
  const done = merged(first, { id: 'n', state: 'delivered', owner_lease: 1, version: 1, seen_at: 't1' });
  assert.deepEqual([done.state, done.seen_at, done.text], ['delivered', 't1', 'Tea']);
  const late = merged(done, item());
  assert.deepEqual([late.state, late.seen_at], ['delivered', 't1'], 'an end and a mark stay');
  const newer = merged(late, item({ version: 2, text: 'Tea, again', state: 'dispatched' }));
  assert.deepEqual([newer.state, newer.text, newer.version], ['dispatched', 'Tea, again', 2]);
  const stale = merged(newer, item({ text: 'Tea' }));
  assert.equal(stale.text, 'Tea, again');
  assert.equal(merged(stale, item({ owner_lease: 2, text: 'escalated' })).text, 'escalated', 'the greater lease counts');
});

test('the title is what was given, else the first line; the agent\'s words come first', () => {
  assert.equal(titleOf(item({ text: 'One\nTwo' })), 'One');
  assert.equal(titleOf(item({ metadata: { title: 'Given' } })), 'Given');
  assert.equal(titleOf(item({ narration: 'The agent says' })), 'The agent says');
});

test('an item that was read stays in the list of unread until the list is chosen anew', () => {
  const kept = new Set();
  const filter = { show: 'unread', priority: '', text: '' };
  assert.equal(chosen([item()], filter, kept).length, 1);
  assert.equal(chosen([item({ seen_at: 't' })], filter, kept).length, 1);
  assert.equal(chosen([item({ seen_at: 't', dismissed_at: 't' })], filter, kept).length, 0);
  assert.equal(chosen([item({ seen_at: 't' })], filter, new Set()).length, 0);
  assert.equal(chosen([item()], { show: 'all', priority: '', text: 'TEA nothing' }, kept).length, 0, 'every word counts');
});

let sequence = 0;
const event = (name, data, run_id = 1) => ({ id: `e${++sequence}`, run_id, sequence, timestamp: `2026-11-15T12:00:${String(sequence % 60).padStart(2, '0')}Z`, source: null, event: name, data });

test('pieces are one text, also where another agent speaks in between; a call and its result are one', () => {
  const log = new RunLog();
  for (const one of [event('llm.stream', { delta: 'a', message_id: 'm' }), event('llm.stream', { delta: 'x' }, 2), event('llm.stream', { delta: 'b', message_id: 'm' }),
    event('llm.message_end', { message_id: 'm' }), event('llm.stream', { delta: 'c', message_id: 'm' }),
    event('llm.tool_call', { tool_call_id: 't', tool_name: 'fetch', arguments: { u: 1 } }), event('llm.tool_result', { tool_call_id: 't', content: 'ok' }), event('llm.tool_result', { tool_call_id: 'unknown' }), event('my.own', { a: 1 })]) log.take(one);
  assert.deepEqual(log.blocks.map((block) => [block.kind, block.text ?? block.tool ?? block.name]), [['text', 'ab'], ['text', 'x'], ['text', 'c'], ['tool', 'fetch'], ['event', 'llm.tool_result'], ['event', 'my.own']]);
  assert.deepEqual([log.tools[0].result, log.tools[0].isError, log.events], ['ok', false, 9]);
  assert.deepEqual(chosenBlocks(log.blocks, 'other', 'my').map(({ name }) => name), ['my.own']);
});

test('what is gone is told', () => {
  const log = new RunLog();
  log.take({ event: 'gap', data: { from: 1, to: 5 } });
  assert.deepEqual([log.blocks[0].kind, log.blocks[0].to, log.events], ['gap', 5, 0]);
});

test('the life of a run is told in words', () => {
  assert.deepEqual(['lifecycle.started', 'control.paused', 'interaction.requested', 'tree.closed'].map((name) => lifeWords(name, {})), ['started', 'paused', 'question requested', 'tree closed']);
  assert.equal(lifeWords('step.finished', { step_name: 'plan' }), 'plan: finished');
  assert.equal(lifeMore({ error: { type: 'gone', message: 'no answer' } }), 'gone: no answer');
  assert.equal(lifeMore({ result: { pages: 3 } }), 'pages: 3');
  assert.equal(lifeMore({ reason: 'not needed', by: 'ada' }), 'not needed');
});

test('a result finds its call by either name of the id', () => {
  for (const name of ['tool_call_id', 'call_id']) {
    const log = new RunLog();
    const take = (event, data) => log.take({ id: `e${++sequence}`, run_id: 1, sequence, event, data, source: '', timestamp: 't' });
    take('llm.tool_call', { [name]: 'c', tool_name: 'grep', arguments: {} });
    take('llm.tool_result', { [name]: 'c', content: 'found' });
    assert.deepEqual(log.blocks.map(({ kind, result }) => [kind, result]), [['tool', 'found']], name);
  }
});

test('an address that is no address leads to its page all the same', () => {
  assert.deepEqual([parseRoute('#/inbox/%').page, parseRoute('#/inbox/%').id], ['inbox', '%']);
});
