// Agents and wakes of the client against a scripted server: what it sends, and what it makes of answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BelfryError, Client } from '../src/index.js';
import { scripted } from './scripted.mjs';

const wake = { id: 7, fence: 2, run_id: 3, state: 'running' };

/** The one request that a call makes, and what came of it. */
async function ask(t, status, answer, call) {
  const seen = [];
  const part = async (talk) => {
    for (let request = await talk.request(); request; request = await talk.request()) {
      seen.push(request);
      talk.answer(status, answer);
    }
  };
  const server = await scripted(t, [part]);
  const client = new Client({ url: server.url, token: 'bf_secret', wait: async () => {} });
  const result = await call(client);
  const { method, target, body } = seen[0];
  return { line: `${method} ${target}`, body: body ? JSON.parse(body) : null, result };
}

test('an agent is made and changed with only what was given', async (t) => {
  const made = await ask(t, 201, { id: 'a/b' }, (client) => client.createAgent({ id: 'a/b', mode: 'hybrid' }));
  assert.equal(made.line, 'POST /v1/agents');
  assert.deepEqual(made.body, { id: 'a/b', mode: 'hybrid' });
  const changed = await ask(t, 200, { id: 'a/b' }, (client) => client.changeAgent('a/b', { state: { sleep_until: null } }));
  assert.equal(changed.line, 'PATCH /v1/agents/a%2Fb');
  assert.deepEqual(changed.body, { state: { sleep_until: null } });
});

test('what is proposed is listed, read and decided', async (t) => {
  for (const [line, call] of [
    ['GET /v1/change-sets?state=all&agent=a%2Fb', (client) => client.changeSets({ state: 'all', agent: 'a/b' })],
    ['GET /v1/change-sets/c', (client) => client.changeSet('c')],
    ['POST /v1/change-sets/c/accept', (client) => client.acceptChanges('c')],
    ['POST /v1/change-sets/c/items/2/accept', (client) => client.acceptChanges('c', 2)],
    ['POST /v1/change-sets/c/reject', (client) => client.rejectChanges('c')],
    ['POST /v1/change-sets/c/items/2/reject', (client) => client.rejectChanges('c', 2)],
  ]) {
    const asked = await ask(t, 200, { id: 'c' }, call);
    assert.equal(asked.line, line);
    assert.equal(asked.body, null);
    assert.deepEqual(asked.result, { id: 'c' });
  }
});

test('memory is read, folded and forgotten', async (t) => {
  const at = '/v1/agents/a%2Fb/memory';
  for (const [line, call, body] of [
    [`GET ${at}?thread_id=a%3Ax&explain=1`, (client) => client.memory('a/b', { thread_id: 'a:x', explain: true })],
    [`GET ${at}`, (client) => client.memory('a/b')],
    [`GET ${at}/threads?limit=2`, (client) => client.memoryThreads('a/b', { limit: 2 })],
    [`GET ${at}/summaries?folded=s`, (client) => client.memorySummaries('a/b', { folded: 's' })],
    [`GET ${at}/summaries/s?after=3`, (client) => client.openSummary('a/b', 's', { after: 3 })],
    [`GET ${at}/search?q=door&kind=user`, (client) => client.searchMemory('a/b', 'door', { kind: 'user' })],
    [`GET ${at}/folds?state=done`, (client) => client.folds('a/b', { state: 'done' })],
    [`POST ${at}/folds`, (client) => client.foldMemory('a/b', { thread_id: 't' }), { thread_id: 't' }],
    [`POST ${at}/folds/j/restart`, (client) => client.restartFold('a/b', 'j')],
    [`POST ${at}/forget`, (client) => client.forgetMemory('a/b', { thread_id: 't' }), { thread_id: 't' }],
  ]) {
    const asked = await ask(t, 200, { jobs: 1 }, call);
    assert.equal(asked.line, line);
    assert.deepEqual(asked.body, body ?? null);
  }
});

test('a session makes a wake a person\'s', async (t) => {
  const persons = await ask(t, 201, wake, (client) => client.wakeAgent('a', { session_id: 's', turn_id: 't' }));
  assert.deepEqual(persons.body, { reason: 'user_initiated', session_id: 's', turn_id: 't' });
  const manual = await ask(t, 201, wake, (client) => client.wakeAgent('a'));
  assert.deepEqual(manual.body, {});
});

test('a timer is added with its schedule, listed, changed and removed', async (t) => {
  const schedule = /** @type {const} */ ({ kind: 'daily', time: '07:00' });
  const added = await ask(t, 201, { id: 't' }, (client) => client.addTimer('a/b', { name: 'n', schedule, zone: 'Europe/Berlin' }));
  assert.equal(added.line, 'POST /v1/agents/a%2Fb/timers');
  assert.deepEqual(added.body, { name: 'n', schedule, zone: 'Europe/Berlin' });
  const page = { data: [], next: null, has_more: false };
  assert.equal((await ask(t, 200, page, (client) => client.timers({ agent: 'a', limit: 5 }))).line, 'GET /v1/agents/a/timers?limit=5');
  assert.equal((await ask(t, 200, page, (client) => client.timers({ user: 'ada' }))).line, 'GET /v1/timers?user=ada');
  assert.equal((await ask(t, 200, { id: 't' }, (client) => client.timer('a', 't'))).line, 'GET /v1/agents/a/timers/t');
  const changed = await ask(t, 200, { id: 't' }, (client) => client.changeTimer('a', 't', { zone: 'UTC' }));
  assert.equal(changed.line, 'PATCH /v1/agents/a/timers/t');
  assert.deepEqual(changed.body, { zone: 'UTC' });
  assert.equal((await ask(t, 204, '', (client) => client.removeTimer('a', 't'))).line, 'DELETE /v1/agents/a/timers/t');
});

test('nothing to do is null, and a grant is what came', async (t) => {
  const none = await ask(t, 204, '', (client) => client.claimWake(['a'], { wait_s: 0 }));
  assert.equal(none.line, 'POST /v1/wakes/claim');
  assert.deepEqual(none.body, { agents: ['a'], wait_s: 0 });
  assert.equal(none.result, null);
  const grant = { wake, agent: { id: 'a' }, signals: [] };
  assert.deepEqual((await ask(t, 200, grant, (client) => client.claimWake(['a']))).result, grant);
});

test('what a worker says is under its fence', async (t) => {
  const renewed = await ask(t, 200, wake, (client) => client.renewWake(wake, { lease_s: 5 }));
  assert.equal(renewed.line, 'POST /v1/wakes/7/renew');
  assert.deepEqual(renewed.body, { fence: 2, lease_s: 5 });
  const ended = await ask(t, 200, wake, (client) => client.endWake(wake, { result: { ok: true } }));
  assert.deepEqual(ended.body, { fence: 2, result: { ok: true } });
  const released = await ask(t, 200, wake, (client) => client.endWake(wake, { release: true }));
  assert.deepEqual(released.body, { fence: 2, release: true });
  const stale = { code: 'conflict', reason: 'stale_claim', detail: 'not yours' };
  await assert.rejects(ask(t, 409, stale, (client) => client.endWake(wake)),
    (error) => error instanceof BelfryError && error.code === 'conflict');
});

test('lists ask for what was given', async (t) => {
  const page = { data: [], next: null, has_more: false };
  const listed = await ask(t, 200, page, (client) => client.wakes({ agent: 'a', open: true, limit: 5 }));
  assert.equal(listed.line, 'GET /v1/wakes?agent=a&open=true&limit=5');
});

test('messages and plans go with the fence of the wake', async (t) => {
  const said = await ask(t, 201, { data: [], added: 1 }, (client) => client.appendAgentMessages(wake, [{ kind: 'thought', content: 'hm' }]));
  assert.equal(said.line, 'POST /v1/wakes/7/messages');
  assert.deepEqual(said.body, { fence: 2, messages: [{ kind: 'thought', content: 'hm' }] });
  const planned = await ask(t, 201, { actions: [] }, (client) => client.storePlan(wake, [{ tool_name: 't' }], { round: 2 }));
  assert.equal(planned.line, 'POST /v1/wakes/7/plan');
  assert.deepEqual(planned.body, { fence: 2, round: 2, actions: [{ tool_name: 't' }] });
  const read = await ask(t, 200, { data: [] }, (client) => client.agentMessages('a/b', { thread: 't', limit: 2 }));
  assert.equal(read.line, 'GET /v1/agents/a%2Fb/messages?thread=t&limit=2');
});

test('tools are called for the wake, and listed', async (t) => {
  const called = await ask(t, 200, { result: null }, (client) => client.callTool(wake, { operation_id: 'o', tool_name: 't', arguments: { a: 1 } }));
  assert.equal(called.line, 'POST /v1/wakes/7/call');
  assert.deepEqual(called.body, { fence: 2, operation_id: 'o', tool_name: 't', arguments: { a: 1 } });
  const planned = await ask(t, 200, { result: null }, (client) => client.callTool(wake, { operation_id: 'o' }));
  assert.deepEqual(planned.body, { fence: 2, operation_id: 'o' });
  const listed = await ask(t, 200, { data: [] }, (client) => client.tools({ after: 'a b', limit: 2 }));
  assert.equal(listed.line, 'GET /v1/tools?after=a+b&limit=2');
  const one = await ask(t, 200, { name: 'a/b' }, (client) => client.tool('a/b'));
  assert.equal(one.line, 'GET /v1/tools/a%2Fb');
});

test('a tool is registered, and its calls are carried out under their fence', async (t) => {
  const call = { id: 'c-1', fence: 3 };
  const put = await ask(t, 200, { name: 'a/b' }, (client) => client.putTool('a/b', { impact: 'external', execution: { by: 'worker' } }));
  assert.equal(put.line, 'PUT /v1/tools/a%2Fb');
  const claimed = await ask(t, 204, '', (client) => client.claimToolCall(['a'], { wait_s: 0 }));
  assert.equal(claimed.line, 'POST /v1/tool-calls/claim');
  assert.equal(claimed.result, null);
  const renewed = await ask(t, 200, call, (client) => client.renewToolCall(call, { lease_s: 5 }));
  assert.equal(renewed.line, 'POST /v1/tool-calls/c-1/renew');
  assert.deepEqual(renewed.body, { fence: 3, lease_s: 5 });
  const ended = await ask(t, 200, call, (client) => client.endToolCall(call, { result: { ok: true } }));
  assert.deepEqual(ended.body, { fence: 3, result: { ok: true } });
  assert.equal((await ask(t, 200, { data: [] }, (client) => client.toolCalls({ state: 'queued' }))).line, 'GET /v1/tool-calls?state=queued');
});
