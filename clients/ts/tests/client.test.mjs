// The client against a scripted server: what it sends, what it repeats, and what it makes of answers.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { BelfryError, Client, Operator } from '../src/index.js';
import { uploadInBatches } from '../src/runs.js';
import { SseParser } from '../src/sse.js';
import { messageOf } from '../src/websocket_stream.js';
import { eventually, freePort, scripted } from './scripted.mjs';

/** Answers request after request, on whatever connection they come: `fetch` has its own mind about those. */
const answering = (answers, seen = []) => async (talk) => {
  for (let request = await talk.request(); request; request = await talk.request()) {
    talk.answer(...answers[seen.push(request) - 1]);
  }
};

function clientOf(server, more = {}) {
  const pauses = [];
  const client = new Client({ url: server.url, token: 'bf_secret', wait: async (ms) => { pauses.push(ms); }, ...more });
  return { client, pauses };
}

const codeOf = async (promise) => {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof BelfryError, error.stack);
    return error;
  }
  return assert.fail('it was not refused');
};

for (const unix of [false, true]) {
  const how = unix ? ' over a Unix socket' : '';

  test(`a call carries the token and only what was given${how}`, async (t) => {
    const seen = [];
    const server = await scripted(t, [answering([[200, { id: 'a b' }], [201, { events: [] }]], seen)], { unix });
    const { client } = clientOf(server);
    assert.deepEqual(await client.putSession('a b/c', { title: 'Ünïcode' }), { id: 'a b' });
    await client.reportToolCall('s', 'success', { tool_name: 't', call_id: '1', duration_ms: 0 });
    if (unix) assert.equal(server.connections, 1, 'the connection is kept');
    assert.equal(`${seen[0].method} ${seen[0].target}`, 'PUT /v1/sessions/a%20b%2Fc');
    assert.equal(seen[0].headers.authorization, 'Bearer bf_secret');
    assert.equal(seen[0].body, '{"title":"Ünïcode"}');
    assert.equal(seen[1].body, '{"status":"success","tool_name":"t","call_id":"1","duration_ms":0}');
  });

  test(`an emit is repeated under one key until it is known${how}`, async (t) => {
    const seen = [];
    const part = async (talk) => {
      for (let request = await talk.request(); request; request = await talk.request()) {
        if (seen.push(request) === 1) talk.answer(503, { code: 'unavailable', detail: 'store down' }, 'Retry-After: 1\r\n');
        else if (seen.length === 2) talk.socket.destroy();
        else talk.answer(201, { id: 'e', sequence: 4 });
      }
    };
    const server = await scripted(t, [part], { unix });
    const { client, pauses } = clientOf(server);
    assert.deepEqual(await client.emit({ type: 'a.b', source: 't' }), { id: 'e', sequence: 4 });
    assert.equal(new Set(seen.map((request) => request.headers['idempotency-key'])).size, 1);
    assert.deepEqual([seen.length, pauses], [3, [1000, 500]]);
  });

  test(`a notification is repeated under one key where its answer was lost${how}`, async (t) => {
    const seen = [];
    const part = async (talk) => {
      for (let request = await talk.request(); request; request = await talk.request()) {
        if (seen.push(request) === 1) talk.socket.destroy();
        else talk.answer(201, { id: 'n' });
      }
    };
    const server = await scripted(t, [part], { unix });
    const { client } = clientOf(server);
    assert.deepEqual(await client.notify('hello', { idempotencyKey: 'mine' }), { id: 'n' });
    assert.deepEqual(seen.map((request) => request.headers['idempotency-key']), ['mine', 'mine']);
    assert.deepEqual(await client.notify('hello', { user_id: 'ada' }), { id: 'n' });
    assert.notEqual(seen[2].headers['idempotency-key'], 'mine');
  });

  test(`a report is never repeated by itself${how}`, async (t) => {
    const breaks = async (talk) => { await talk.request(); talk.socket.destroy(); };
    const server = await scripted(t, [breaks], { unix });
    const { client, pauses } = clientOf(server);
    assert.equal((await codeOf(client.reportTurn('s', 'start'))).code, 'outcome_unknown');
    assert.deepEqual([server.connections, pauses], [1, []]);
  });

  test(`each event of an upload is on its way before the next is asked for${how}`, async (t) => {
    const lines = [];
    let arrived = () => {};
    const part = async (talk) => {
      lines.push((await talk.request()).headers['content-type']);
      for (let chunk = await talk.chunk(); chunk; chunk = await talk.chunk()) {
        lines.push(chunk);
        arrived();
      }
      talk.answer(201, { accepted: 3, first: 2, last: 4, state: 'running' });
      await talk.request();
    };
    async function* events() {
      for (let number = 0; number < 3; ++number) {
        const seen = new Promise((resolve) => { arrived = resolve; });
        yield { event: 'llm.stream', data: { text: String(number) } };
        await seen;
      }
    }
    const { client } = clientOf(await scripted(t, [part], { unix }));
    assert.equal((await client.uploadRun(7, events())).last, 4);
    assert.deepEqual(lines.slice(0, 2), ['application/x-ndjson', '{"event":"llm.stream","data":{"text":"0"}}\n']);
  });

  test(`a refused line ends the upload and says which${how}`, async (t) => {
    let answered = () => {};
    const isAnswered = new Promise((resolve) => { answered = resolve; });
    const part = async (talk) => {
      await talk.request();
      await talk.chunk();
      talk.answer(422, { code: 'invalid', detail: 'event', line: 1 }, 'Connection: close\r\n');
      answered();
      while (await talk.chunk());
    };
    let taken = 0;
    async function* events() {
      yield { event: 'bad' };
      await isAnswered;
      for (; taken < 100000; ++taken) {
        yield { event: 'a.b' };
        await new Promise((resolve) => { setImmediate(resolve); });
      }
    }
    const { client } = clientOf(await scripted(t, [part], { unix }));
    assert.equal((await codeOf(client.uploadRun(7, events()))).problem.line, 1);
    assert.ok(taken < 1000, `the rest is not sent (${taken})`);
  });

  test(`a lost stream goes on after the last event and ends with the run${how}`, async (t) => {
    const targets = [];
    const first = async (talk) => {
      targets.push((await talk.request()).target);
      talk.events();
      talk.event({ sequence: 1, event: 'lifecycle.started' }, { id: 1, kind: 'lifecycle.started' });
      talk.event({ sequence: 2, event: 'llm.stream', data: ' \né' }, { id: 2, kind: 'llm.stream' });
    };
    const second = async (talk) => {
      targets.push((await talk.request()).target);
      talk.events();
      talk.event({ sequence: 2, event: 'llm.stream' }, { id: 2, kind: 'llm.stream' });
      talk.event({ from: 3, to: 5 }, { kind: 'gap' });
      talk.event({ sequence: 6, event: 'lifecycle.completed' }, { id: 6, kind: 'lifecycle.completed' });
      talk.event({ reason: 'ended' }, { kind: 'close' });
    };
    const { client, pauses } = clientOf(await scripted(t, [first, second], { unix }));
    const lost = [];
    const events = [];
    for await (const event of await client.followRun(7, { onLost: (why, ms) => lost.push([why.code, ms]) })) events.push(event);
    assert.deepEqual(events.map((event) => event.event), ['lifecycle.started', 'llm.stream', 'gap', 'lifecycle.completed']);
    assert.equal(events[1].data, ' \né');
    assert.deepEqual(events[2].data, { from: 3, to: 5 });
    assert.deepEqual(targets, ['/v1/runs/7/events?from=start', '/v1/runs/7/events?after=2']);
    assert.deepEqual([lost, pauses], [[['unavailable', 100]], [100]]);
  });

  test(`a loop that is left, and a close from outside, end the stream${how}`, async (t) => {
    let closed = 0;
    const part = async (talk) => {
      await talk.request();
      talk.events();
      talk.event({ type: 'caught_up' }, { kind: 'caught_up' });
      await talk.request();
      closed += 1;
    };
    const { client } = clientOf(await scripted(t, [part], { unix }));
    for await (const message of client.followInbox({ user: 'ada' })) {
      assert.equal(message.type, 'caught_up');
      break;
    }
    const following = client.followInbox({ user: 'ada' });
    for await (const message of following) {
      assert.equal(message.type, 'caught_up');
      setTimeout(() => following.close(), 20);
    }
    await eventually(() => closed === 2);
  });
}

test('a daemon that was never there is reported at once', async () => {
  const { client, pauses } = clientOf({ url: `http://127.0.0.1:${await freePort()}` });
  const error = await codeOf(client.emit({ type: 'a.b', source: 't' }));
  assert.equal(error.code, 'unavailable');
  assert.match(error.detail, /belfry serve/);
  assert.deepEqual(pauses, []);
});

test('a refusal has code, field, reason and status', async (t) => {
  const problem = { code: 'conflict', detail: 'the lease is stale', field: 'lease', reason: 'stale_lease' };
  const { client } = clientOf(await scripted(t, [answering([[409, problem]])]));
  const error = await codeOf(client.narrate('s', 'n1', { lease: 1, text: 'hello' }));
  assert.deepEqual([error.code, error.status, error.field, error.reason], ['conflict', 409, 'lease', 'stale_lease']);
  assert.match(error.message, /the lease is stale/);
});

test('of a batch each refusal is told, and of one event it is thrown', async (t) => {
  const batch = { accepted: 0, refused: 1, data: [{ error: { code: 'invalid', detail: 'type' } }] };
  const { client } = clientOf(await scripted(t, [answering([[422, batch], [422, { code: 'invalid', detail: 'type', field: 'type' }]])]));
  assert.equal((await client.emit([{ type: 'x', source: 't' }])).refused, 1);
  assert.equal((await codeOf(client.emit({ type: 'x', source: 't' }))).field, 'type');
});

test('somebody else who answers is not believed', async (t) => {
  const { client } = clientOf(await scripted(t, [answering([[200, '<html>']])]));
  assert.equal((await codeOf(client.streams())).code, 'malformed');
});

test('an answer that does not come is given up', async (t) => {
  const { client } = clientOf(await scripted(t, [(talk) => talk.request().then(() => talk.request())]), { answerTimeoutMs: 30 });
  assert.equal((await codeOf(client.reportTurn('s', 'start'))).code, 'timeout');
});

test('a run with a key is repeated and one without is not', async (t) => {
  const busy = [503, { code: 'unavailable' }];
  const { client, pauses } = clientOf(await scripted(t, [answering([busy, [200, { id: 7 }], busy])]));
  assert.equal((await client.createRun({ run_key: 'k' })).id, 7);
  await codeOf(client.createRun({ title: 'x' }));
  assert.deepEqual(pauses, [100]);
});

test('live becomes a position at once', async (t) => {
  for (const [tree, query] of [[undefined, ''], [true, '&tree=true']]) {
    const targets = [];
    const part = async (talk) => {
      for (let request = await talk.request(); request; request = await talk.request()) {
        if (targets.push(request.target) === 1) {
          talk.answer(200, { data: [], next: 41, has_more: false });
        } else {
          talk.events(); // the first of them is lost before anything came
          if (targets.length === 3) talk.event({ reason: 'ended' }, { kind: 'close' });
          return;
        }
      }
    };
    const { client } = clientOf(await scripted(t, [part, part, part]));
    for await (const event of await client.followRun(7, { start: 'live', tree, agent: 'a b' })) assert.fail(JSON.stringify(event));
    const following = `/v1/runs/7/events?after=41${query}&agent=a+b`;
    assert.deepEqual(targets, [`/v1/runs/7/events?from=live&limit=1${query}`, following, following]);
  }
});

test('what another attempt would not mend is thrown', async (t) => {
  for (const [status, code] of [[404, 'not_found'], [410, 'gone'], [401, 'unauthenticated']]) {
    const { client } = clientOf(await scripted(t, [answering([[status, { code, detail: 'no' }]])]));
    const following = await client.followRun(7);
    assert.equal((await codeOf(following[Symbol.asyncIterator]().next())).code, code);
  }
});

test('a stream that says nothing is made again', async (t) => {
  let streams = 0;
  const part = async (talk) => {
    if (await talk.request() === null) return;
    talk.events();
    if (++streams === 2) talk.event({ reason: 'ended' }, { kind: 'close' });
    else await talk.request();
  };
  const { client } = clientOf(await scripted(t, [part]), { silenceMs: 30 });
  for await (const event of await client.followRun(7)) assert.fail(JSON.stringify(event));
  assert.equal(streams, 2);
});

test('messages of one position in another format arrive once, wherever the line breaks', async (t) => {
  const kinds = ['RUN_STARTED', 'TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'RUN_FINISHED'];
  const targets = [];
  const parts = [[1, 0], [1, 1], [2, 1], [3, 1], [9, 4]]; // so many, from there on
  const part = async (talk) => {
    const request = await talk.request();
    if (request === null) return;
    const [count, begin] = parts[targets.push(request.target.split('?')[1]) - 1];
    talk.events();
    kinds.slice(begin, begin + count).forEach((type, index) => talk.event({ type }, { id: { 0: 1, 3: 2, 4: 3 }[begin + index] }));
    if (begin + count >= kinds.length) talk.event({ reason: 'ended' }, { kind: 'close' });
  };
  const { client } = clientOf(await scripted(t, [part]));
  const found = [];
  for await (const event of await client.followRun(7, { format: 'ag-ui' })) found.push(event.type);
  assert.deepEqual(found, kinds);
  assert.deepEqual(targets, ['from=start&format=ag-ui', ...Array(3).fill('after=1&format=ag-ui'), 'after=2&format=ag-ui']);
});

test('entries come once and gaps are told', async (t) => {
  const part = async (talk) => {
    await talk.request();
    talk.events();
    for (const sequence of [5, 6, 6]) talk.event({ sequence, event: {} }, { id: sequence });
    talk.event({ from: 7, to: 9 }, { kind: 'gap' });
    talk.event({ reason: 'revoked' }, { kind: 'close' });
  };
  const { client } = clientOf(await scripted(t, [part]));
  const found = [];
  const error = await codeOf((async () => {
    for await (const entry of await client.follow('events', { after: 4 })) found.push(entry.sequence ?? entry.gap.to);
  })());
  assert.deepEqual([found, error.code], [[5, 6, 9], 'unauthenticated']);
});

test('where a request cannot be streamed, what gathers goes out in batches, in order', async () => {
  const batches = [];
  const emit = async (batch) => {
    batches.push(batch.map((event) => event.data));
    await new Promise((resolve) => { setTimeout(resolve, 2); });
    const last = batches.flat().length;
    return { first: last - batch.length + 1, last, state: 'running' };
  };
  const events = Array.from({ length: 2500 }, (_, data) => ({ event: 'a.b', data }));
  assert.deepEqual(await uploadInBatches(emit, events), { accepted: 2500, first: 1, last: 2500, state: 'running' });
  assert.deepEqual(batches.flat(), events.map((event) => event.data));
  assert.ok(batches.length < 100 && batches.every((batch) => batch.length <= 1000));
  const refusal = new BelfryError('conflict', 'cancelled');
  assert.equal(await codeOf(uploadInBatches(() => Promise.reject(refusal), events)), refusal);
});

test('it does not matter where the bytes of a stream are cut', () => {
  const text = new TextEncoder().encode('id: 1\r\nevent: a.b\r\ndata: é\r\n\r\n: beat\n\ndata: x\ndata:  y\n\nid\rdata: z\r\r');
  const whole = new SseParser().feed(text);
  assert.deepEqual(whole, [{ event: 'a.b', data: 'é', id: '1' }, { event: 'message', data: 'x\n y', id: '1' }, { event: 'message', data: 'z', id: '' }]);
  for (const size of [1, 2, 3, 5, 7]) {
    const parser = new SseParser();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...parser.feed(text.subarray(at, at + size)));
    assert.deepEqual(found, whole, String(size));
  }
});

test('a line that ends with both and an empty one with one', () => {
  const text = new TextEncoder().encode('\ufeffdata: x\r\n\ndata: y\n\n');
  for (const size of [1, 2, 100]) {
    const parser = new SseParser();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...parser.feed(text.subarray(at, at + size)).map(({ data }) => data));
    assert.deepEqual(found, ['x', 'y'], String(size));
  }
});

test('a message without an end is refused', () => {
  const parser = new SseParser();
  const piece = new TextEncoder().encode(`data: ${'x'.repeat(1 << 20)}\n`);
  assert.throws(() => { for (let count = 0; count < 65; ++count) parser.feed(piece); }, BelfryError);
});

test('a connection that is lost leaves nothing behind', async (t) => {
  const warnings = [];
  const take = (warning) => warnings.push(warning);
  process.on('warning', take);
  t.after(() => process.off('warning', take));
  let count = 0;
  const part = async (talk) => {
    if (await talk.request() === null) return;
    talk.events();
    if (++count === 15) talk.event({ reason: 'ended' }, { kind: 'close' });
  };
  const { client } = clientOf(await scripted(t, [part]));
  const { signal } = new AbortController();
  for await (const event of await client.followRun(7, { signal })) assert.fail(JSON.stringify(event));
  await new Promise((resolve) => { setImmediate(resolve); });
  assert.deepEqual([count, warnings, getEventListeners(signal, 'abort').length], [15, [], 0]);
});

test('how long the reader works says nothing about the connection', async (t) => {
  let go = () => {};
  const mayGoOn = new Promise((resolve) => { go = resolve; });
  const part = async (talk) => {
    await talk.request();
    talk.events();
    talk.event({ sequence: 1 }, { id: 1, kind: 'a.b' });
    await mayGoOn;
    talk.event({ reason: 'ended' }, { kind: 'close' });
  };
  const { client, pauses } = clientOf(await scripted(t, [part]), { silenceMs: 60 });
  for await (const event of await client.followRun(7)) {
    assert.equal(event.sequence, 1);
    await new Promise((resolve) => { setTimeout(resolve, 200); });
    go();
  }
  assert.deepEqual(pauses, []);
});

test('what is no event of the run is passed over, and a run that has expired is gone', async (t) => {
  const part = async (talk) => {
    await talk.request();
    talk.events();
    talk.event({ type: 'RUN_STARTED' }, { id: 1 });
    talk.event({ state: 'down' }, { kind: 'store' });
    talk.event({ reason: 'expired' }, { kind: 'close' });
  };
  const { client } = clientOf(await scripted(t, [part]));
  const items = (await client.followRun(7, { format: 'ag-ui' }))[Symbol.asyncIterator]();
  assert.equal((await items.next()).value.type, 'RUN_STARTED');
  assert.equal((await codeOf(items.next())).code, 'gone');
});

test('an address that is none is refused', () => {
  assert.throws(() => new Client({ url: 'ftp://host' }), TypeError);
});

test('a WebSocket says the same as server-sent events', () => {
  const run = { id: 'e', run_id: 7, sequence: 2, event: 'llm.stream', data: { delta: 'x' } };
  assert.deepEqual(messageOf(JSON.stringify({ type: 'entry', sequence: 9, event: run })),
    { event: 'llm.stream', data: JSON.stringify(run), id: '9' });
  const entry = JSON.stringify({ type: 'entry', sequence: 3, event: { id: 'x', type: 'a.b' } });
  assert.deepEqual(messageOf(entry), { event: 'message', data: entry, id: '3' });
  for (const type of ['gap', 'close', 'store']) assert.equal(messageOf(JSON.stringify({ type })).event, type);
  const item = JSON.stringify({ type: 'notification', id: 'n' });
  assert.deepEqual(messageOf(item), { event: 'message', data: item, id: '' });
});

test('a stream over a WebSocket comes back with a new ticket and hands on each event once', async (t) => {
  let tickets = 0;
  const part = async (talk) => {
    for (let request = await talk.request(); request; request = await talk.request()) talk.answer(201, { ticket: `t${++tickets}` });
  };
  const server = await scripted(t, [part, part, part]);
  const { client } = clientOf(server);
  const opened = [];
  const entry = (sequence) => JSON.stringify({ type: 'entry', sequence, event: { run_id: 7, sequence, event: 'llm.stream', data: {} } });
  const scripts = [[entry(1), entry(2)], [entry(2), entry(3), JSON.stringify({ type: 'close', reason: 'ended' })]];
  globalThis.WebSocket = class {
    constructor(url) {
      const said = scripts[opened.push(`${url.pathname}${url.search}`) - 1];
      setTimeout(() => {
        this.onopen();
        for (const data of said) this.onmessage({ data });
        this.onclose({ code: 1006 });
      });
    }

    close() {}
  };
  t.after(() => { delete globalThis.WebSocket; });
  const lost = [];
  const seen = [];
  for await (const event of await client.followRun(7, { via: 'websocket', onLost: (why) => lost.push(why.code) })) seen.push(event.sequence);
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(lost, ['unavailable']);
  assert.deepEqual(opened, ['/v1/runs/7/events?from=start&ticket=t1', '/v1/runs/7/events?after=2&ticket=t2']);
});

/** WebSockets that do what `act` says with them, on a daemon that has tickets; `seen` are the other requests. */
async function withWebSockets(t, act, answer = () => [500, {}]) {
  const seen = [];
  const part = async (talk) => {
    for (let request = await talk.request(); request; request = await talk.request()) {
      if (request.target === '/v1/tickets') talk.answer(201, { ticket: 't' });
      else talk.answer(...answer(seen.push(request.target)));
    }
  };
  let opened = 0;
  globalThis.WebSocket = class {
    constructor() {
      setTimeout(() => act(this, ++opened));
    }

    close() {
      this.isClosed = true;
    }
  };
  t.after(() => { delete globalThis.WebSocket; });
  return { server: await scripted(t, [part]), seen, count: () => opened };
}

for (const [status, code] of [[403, 'forbidden'], [404, 'not_found'], [410, 'gone']]) {
  test(`a WebSocket that is refused with ${status} ends the stream with the reason`, async (t) => {
    const { server, seen } = await withWebSockets(t, (socket) => socket.onclose({ code: 1006 }), () => [status, { code, detail: 'why' }]);
    const { client } = clientOf(server);
    const lost = [];
    const read = async () => { for await (const _ of client.followInbox({ via: 'websocket', onLost: (why) => lost.push(why) })); };
    assert.equal((await codeOf(read())).code, code);
    assert.deepEqual([seen, lost], [['/v1/inbox/live'], []]);
  });
}

test('a WebSocket on which nothing comes is given up, and one that beats is not', async (t) => {
  const beat = { data: '{"type":"beat"}' };
  const { server } = await withWebSockets(t, async (socket, number) => {
    socket.onopen();
    if (number === 1) return; // the line is dead: no close ever comes
    for (let i = 0; i < 4; ++i) {
      await new Promise((resolve) => { setTimeout(resolve, 120); });
      socket.onmessage(beat);
    }
    socket.onmessage({ data: '{"type":"notification","id":"n"}' });
  });
  const { client } = clientOf(server, { silenceMs: 300 });
  const lost = [];
  for await (const message of client.followInbox({ via: 'websocket', onLost: (why) => lost.push(why.detail) })) {
    assert.equal(message.id, 'n');
    break;
  }
  assert.deepEqual(lost, ['the WebSocket said nothing for 300 ms']);
});

test('every way of following tells that a connection is there', async (t) => {
  const targets = [];
  const part = async (talk) => {
    targets.push((await talk.request()).target);
    talk.events();
    talk.event({ reason: 'ended' }, { kind: 'close' });
  };
  const server = await scripted(t, [part]);
  const { client } = clientOf(server);
  let opened = 0;
  const onOpen = () => { ++opened; };
  for await (const _ of await client.follow('events', { start: 'start', onOpen }));
  for await (const _ of await client.followRun(7, { onOpen }));
  assert.equal(opened, 2);
  assert.deepEqual(targets, ['/v1/streams/events?from=start', '/v1/runs/7/events?from=start']);
});

test('the first emit of a program is repeated where its answer was lost', async (t) => {
  const seen = [];
  const part = async (talk) => {
    for (let request = await talk.request(); request; request = await talk.request()) {
      if (seen.push(request) === 1) talk.socket.destroy();
      else talk.answer(201, { id: 'e', sequence: 4 });
    }
  };
  const server = await scripted(t, [part]);
  const { client, pauses } = clientOf(server);
  assert.deepEqual(await client.emit({ type: 'a.b', source: 't' }), { id: 'e', sequence: 4 });
  assert.equal(new Set(seen.map((request) => request.headers['idempotency-key'])).size, 1);
  assert.deepEqual([seen.length, pauses], [2, [100]]);
});

test('an operator reads figures as text and the problems of files', async (t) => {
  const seen = [];
  const server = await scripted(t, [answering([[200, { belfry_commits_total: 7 }], [200, { data: [], problems: [] }], [202, {}]], seen)]);
  const operator = new Operator({ url: server.url, token: 'bf_secret' });
  assert.equal(await operator.metrics(), '{"belfry_commits_total":7}');
  assert.deepEqual(await operator.subscribers({ user: 'ada' }), { data: [], problems: [] });
  await operator.retryCall('a/b');
  assert.deepEqual(seen.map(({ method, target }) => `${method} ${target}`),
    ['GET /metrics', 'GET /v1/subscribers?user=ada', 'POST /v1/dead-letters/sinks/a%2Fb/retry']);
});
