// The journal of the client against a scripted server: what it sends, and what it makes of answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../src/index.js';
import { scripted } from './scripted.mjs';

const wake = { id: 7, fence: 2 };
const page = { data: [], next: null, has_more: false };

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

test('a record is made, read, changed and deleted under the plural of its kind', async (t) => {
  const made = await ask(t, 201, { id: 't' }, (client) => client.createRecord('task', { title: 'x' }, { user: 'ada' }));
  assert.equal(made.line, 'POST /v1/journal/tasks?user=ada');
  assert.deepEqual([made.body, made.result], [{ title: 'x' }, { id: 't' }]);
  for (const [kind, plural] of [['category', 'categories'], ['entry', 'entries'], ['time_entry', 'time_entries'], ['day_plan', 'day_plans']]) {
    const read = await ask(t, 200, { id: 'r' }, (client) => client.record(kind, 'a/b'));
    assert.equal(read.line, `GET /v1/journal/${plural}/a%2Fb`);
  }
  const changed = await ask(t, 200, { id: 't' }, (client) => client.changeRecord('task', 't', { due_date: null, revision: 3 }, { wake }));
  assert.equal(changed.line, 'PATCH /v1/journal/tasks/t?wake=7&fence=2');
  assert.deepEqual(changed.body, { due_date: null, revision: 3 });
  const gone = await ask(t, 200, { id: 't' }, (client) => client.deleteRecord('task', 't', { revision: 4 }));
  assert.equal(gone.line, 'DELETE /v1/journal/tasks/t?revision=4');
});

test('lists name what narrows them', async (t) => {
  const lines = [
    [(client) => client.records('task', { status: 'open', q: 'milk' }), '/v1/journal/tasks?status=open&q=milk'],
    [(client) => client.records('time_entry', { running: true, categories: ['a', 'b'] }), '/v1/journal/time_entries?running=true&categories=a%2Cb'],
    [(client) => client.searchJournal('milk', { kind: 'task', wake }), '/v1/journal/search?q=milk&kind=task&wake=7&fence=2'],
    [(client) => client.recordLinks({ from_id: 'a', hidden: true }), '/v1/journal/links?from=a&hidden=true'],
  ];
  for (const [call, target] of lines) assert.equal((await ask(t, 200, page, call)).line, `GET ${target}`);
});

test('a link is put and taken away', async (t) => {
  const put = await ask(t, 201, {}, (client) => client.linkRecords('blocked_by', 'a/b', 'c', { metadata: { x: 1 } }));
  assert.equal(put.line, 'PUT /v1/journal/links/blocked_by/a%2Fb/c');
  assert.deepEqual(put.body, { metadata: { x: 1 } });
  const gone = await ask(t, 200, {}, (client) => client.unlinkRecords('blocked_by', 'a', 'b', { user: 'ada' }));
  assert.equal(gone.line, 'DELETE /v1/journal/links/blocked_by/a/b?user=ada');
});
