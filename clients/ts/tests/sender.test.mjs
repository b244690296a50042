// The sender against a scripted server: receipts, tries, the queue, and what the person is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BelfryError, FAILED, RETRYING, RpcConnection, RpcError, Sender } from '../src/index.js';
import { eventually, freePort, scripted } from './scripted.mjs';

const QUEUE_MAX = 10;

/** Time that passes only where somebody waits for it. */
function madeTime() {
  const time = { now: 0, pauses: [], atPause: {}, gate: null, clock: () => time.now };
  time.wait = async (ms) => {
    await time.gate;
    time.pauses.push(ms);
    time.now += ms;
    await time.atPause[time.pauses.length]?.();
  };
  return time;
}

function senderOf(t, address, token) {
  const time = madeTime();
  const said = [];
  const sender = new Sender(address, { token, clock: time.clock, wait: time.wait, onFeedback: (words, message) => said.push([words, message.payload]) });
  t.after(() => sender.close());
  return { sender, said, time };
}

const receipts = (calls) => async (talk) => {
  for (let call = await talk.call(); call !== null; call = await talk.call()) {
    calls.push(call);
    talk.receipt(call, `r${calls.length}`);
  }
};

const failure = (promise) => promise.then(() => assert.fail('it was not refused'), (error) => error);

for (const unix of [true, false]) {
  test(`a receipt comes back over ${unix ? 'a Unix socket' : 'TCP'}`, async (t) => {
    const calls = [];
    const server = await scripted(t, [receipts(calls)], { unix });
    const { sender, said } = senderOf(t, server.rpc);
    assert.equal((await sender.send('s1', 'user_input', { text: 'é' })).notification_id, 'r1');
    assert.equal((await sender.send('s1', 'control_signal')).notification_id, 'r2');
    assert.equal(server.connections, 1);
    const { params } = calls[0];
    assert.equal(calls[0].method, 'client/user_message');
    assert.deepEqual([params.session_id, params.message_type, params.payload], ['s1', 'user_input', { text: 'é' }]);
    assert.match(params.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(params.message_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(!('payload' in calls[1].params));
    assert.deepEqual(said, []);
  });
}

test('a token is shown first', async (t) => {
  let shown;
  const part = async (talk) => {
    const call = await talk.call();
    shown = [call.method, call.params];
    talk.say({ id: call.id, result: {} });
    await receipts([])(talk);
  };
  const server = await scripted(t, [part]);
  await senderOf(t, server.rpc, 'bf_x').sender.send('s', 'user_input', {});
  assert.deepEqual(shown, ['authenticate', { token: 'bf_x' }]);
});

test('with nobody there it is tried four times and given up', async (t) => {
  const { sender, said, time } = senderOf(t, `tcp://127.0.0.1:${await freePort()}`);
  const error = await failure(sender.send('s', 'user_input', 'x'));
  assert.ok(error instanceof BelfryError);
  assert.equal(error.code, 'unavailable');
  assert.deepEqual(time.pauses, [100, 500, 2000]);
  assert.deepEqual(said, [[RETRYING, 'x'], [FAILED, 'x']]);
  assert.deepEqual([RETRYING, FAILED], ['Connection lost, retrying...', 'Failed to send notification']);
});

test('a lost receipt is asked for again under the same message id', async (t) => {
  const calls = [];
  const server = await scripted(t, [async (talk) => { calls.push(await talk.call()); }, receipts(calls)]);
  const { sender, said, time } = senderOf(t, server.rpc);
  assert.ok((await sender.send('s', 'user_input', 'x')).success);
  assert.equal(calls.length, 2);
  assert.deepEqual(calls[0].params, calls[1].params);
  assert.deepEqual([said, time.pauses], [[[RETRYING, 'x']], [100]]);
});

test('the server comes back in time', async (t) => {
  const port = await freePort();
  const calls = [];
  const { sender, said, time } = senderOf(t, `tcp://127.0.0.1:${port}`);
  time.atPause[2] = () => scripted(t, [receipts(calls)], { port });
  assert.ok((await sender.send('s', 'user_input', 'x')).success);
  assert.deepEqual([said, calls.length], [[[RETRYING, 'x']], 1]);
});

test('a connection that was closed in between costs no attempt', async (t) => {
  const calls = [];
  let closed = false;
  const once = async (talk) => {
    talk.receipt(await talk.call());
    talk.socket.end();
    await talk.call(); // its own end comes once it has read ours
    closed = true;
  };
  const server = await scripted(t, [once, receipts(calls)]);
  const { sender, said, time } = senderOf(t, server.rpc);
  await sender.send('s', 'user_input', 1);
  await eventually(() => closed);
  await sender.send('s', 'user_input', 2);
  assert.deepEqual([calls.length, said, time.pauses], [1, [], []]);
});

test('a refusal is thrown and not tried again', async (t) => {
  const part = async (talk) => {
    const call = await talk.call();
    talk.say({ method: 'client/other', params: {} });
    talk.say({ id: call.id, error: { code: -32000, message: 'Rate limit exceeded', data: { retry_after_ms: 600 } } });
    await talk.call();
  };
  const server = await scripted(t, [part]);
  const { sender, said, time } = senderOf(t, server.rpc);
  const error = await failure(sender.send('s', 'user_input', 'x'));
  assert.ok(error instanceof RpcError);
  assert.deepEqual([error.code, error.retryAfterMs, said, time.pauses], [-32000, 600, [], []]);
});

test('a server that can take nothing now is tried again', async (t) => {
  const calls = [];
  const away = async (talk) => { talk.say({ id: (await talk.call()).id, error: { code: -32004, message: 'the store is down' } }); await talk.call(); };
  const server = await scripted(t, [away, receipts(calls)]);
  const { sender, said } = senderOf(t, server.rpc);
  await sender.send('s', 'user_input', 'x');
  assert.deepEqual([said, calls.length], [[[RETRYING, 'x']], 1]);
});

test('the eleventh is refused at once, and every one that is given up is reported', async (t) => {
  const { sender, said, time } = senderOf(t, `tcp://127.0.0.1:${await freePort()}`);
  let open;
  time.gate = new Promise((resolve) => { open = resolve; });
  const waiting = Array.from({ length: QUEUE_MAX }, (_, number) => failure(sender.send('s', 'user_input', number)));
  const late = await failure(sender.send('s', 'user_input', 'late'));
  assert.equal(late.code, 'overloaded');
  assert.equal((await failure(sender.send('s', 'user_input', 'x'.repeat(1 << 20)))).code, 'too_large');
  open();
  const errors = await Promise.all(waiting);
  assert.ok(errors.every((error) => error.code === 'unavailable' && error.detail.startsWith(FAILED)));
  // 2.6 s for each of three, then the ten seconds of all others are over.
  assert.equal(errors.filter((error) => error.detail.endsWith('waited too long')).length, 7);
  assert.ok(time.now <= 10000);
  for (let number = 0; number < QUEUE_MAX; ++number) {
    assert.deepEqual(said.filter(([, payload]) => payload === number).map(([words]) => words), [RETRYING, FAILED], String(number));
  }
});

test('they arrive in order', async (t) => {
  const calls = [];
  const server = await scripted(t, [receipts(calls)], { unix: true });
  const { sender } = senderOf(t, server.rpc);
  for (let start = 0; start < 100; start += QUEUE_MAX) {
    await Promise.all(Array.from({ length: QUEUE_MAX }, (_, number) => sender.send('s', 'user_input', start + number)));
  }
  assert.deepEqual(calls.map((call) => call.params.payload), Array.from({ length: 100 }, (_, number) => number));
});

test('closing gives up what waits', async (t) => {
  const { sender, said, time } = senderOf(t, `tcp://127.0.0.1:${await freePort()}`);
  time.gate = new Promise(() => {});
  const waiting = Array.from({ length: 3 }, (_, number) => failure(sender.send('s', 'user_input', number)));
  sender.close();
  assert.deepEqual((await Promise.all(waiting)).map((error) => error.code), Array(3).fill('unavailable'));
  assert.deepEqual(said.filter(([words]) => words === FAILED).map(([, payload]) => payload), [0, 1, 2]);
  assert.equal((await failure(sender.send('s', 'user_input', 4))).code, 'unavailable');
});

test('what was reported as failed is not sent any more, and leaves no connection', async (t) => {
  const calls = [];
  let ended = 0;
  const part = async (talk) => {
    for (let call = await talk.call(); call !== null; call = await talk.call()) calls.push(call);
    ended += 1;
  };
  const server = await scripted(t, [part]);
  const sender = new Sender(server.rpc);
  const sent = failure(sender.send('s', 'user_input', 'x'));
  sender.close();
  assert.equal((await sent).code, 'unavailable');
  await eventually(() => server.connections === 1 && ended === 1);
  assert.deepEqual(calls, []);
});

test('an error under no id is the answer of the only call', async (t) => {
  const part = async (talk) => {
    await talk.call();
    talk.say({ id: null, error: { code: -32700, message: 'Invalid JSON-RPC notification format' } });
    await talk.call();
  };
  const server = await scripted(t, [part]);
  const { sender, said } = senderOf(t, server.rpc);
  assert.equal((await failure(sender.send('s', 'user_input', 'x'))).code, -32700);
  assert.deepEqual(said, []);
});

test('nobody is told of a loss that is over', async (t) => {
  const port = await freePort();
  const { sender, said } = senderOf(t, `tcp://127.0.0.1:${port}`);
  await failure(sender.send('s', 'user_input', 1));
  await scripted(t, [receipts([])], { port });
  await sender.send('s', 'user_input', 2);
  assert.deepEqual(said, [[RETRYING, 1], [FAILED, 1]]);
});

test('a callback that fails does not break the connection', async (t) => {
  t.mock.method(console, 'error', () => {});
  const part = async (talk) => {
    const call = await talk.call();
    talk.say({ method: 'run/event', params: {} });
    talk.say({ id: call.id, result: { pong: true } });
    await talk.call();
  };
  const server = await scripted(t, [part]);
  const connection = await RpcConnection.open(server.rpc, { onNotification: () => { throw new Error('mine'); } });
  t.after(() => connection.close());
  assert.deepEqual(await connection.call('ping'), { pong: true });
  assert.equal(console.error.mock.callCount(), 1);
});

test('whoever never ends a head is found out', async (t) => {
  const part = async (talk) => {
    await talk.call();
    talk.socket.write('HTTP/1.1 200 OK '.repeat(1000));
    await talk.call();
  };
  const server = await scripted(t, [part]);
  const connection = await RpcConnection.open(server.rpc);
  t.after(() => connection.close());
  assert.match((await failure(connection.call('ping'))).message, /Belfry/);
});

test('what is no JSON harms only itself', async (t) => {
  const calls = [];
  const server = await scripted(t, [receipts(calls)]);
  const { sender } = senderOf(t, server.rpc);
  const circle = {};
  circle.circle = circle;
  assert.ok((await failure(sender.send('s', 'user_input', circle))) instanceof TypeError);
  assert.ok((await sender.send('s', 'user_input', 'x')).success);
});

test('what the server says by itself is handed on', async (t) => {
  const heard = [];
  const part = async (talk) => {
    const call = await talk.call();
    talk.say({ id: call.id, result: { subscription: 1 } });
    for (let number = 0; number < 3; ++number) talk.say({ method: 'run/event', params: { number, text: 'é'.repeat(1000) } });
    await talk.call();
  };
  const server = await scripted(t, [part], { unix: true });
  const connection = await RpcConnection.open(server.rpc, { onNotification: (method, params) => heard.push([method, params.number]) });
  assert.deepEqual(await connection.call('run/follow', { run_id: 7 }), { subscription: 1 });
  await eventually(() => heard.length === 3);
  assert.deepEqual(heard.map(([, number]) => number), [0, 1, 2]);
  connection.close();
  await failure(connection.call('ping'));
});
