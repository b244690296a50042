// A run's stream through an EventSource: Node 20 has none, so this is one over fetch. A browser's own is in tests/foreign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../src/index.js';
import { SseParser } from '../src/sse.js';
import { scripted } from './scripted.mjs';

/** As the standard has it, but for coming back by itself. */
class FetchedEventSource extends EventTarget {
  #end = new AbortController();

  constructor(url) {
    super();
    this.#read(url).catch(() => {}).then(() => { if (!this.#end.signal.aborted) this.onerror?.(); });
  }

  async #read(url) {
    const answer = await fetch(url, { signal: this.#end.signal });
    if (answer.status !== 200) return;
    const parser = new SseParser();
    for await (const piece of answer.body) {
      for (const { event, data, id } of parser.feed(piece)) this.dispatchEvent(new MessageEvent(event, { data, lastEventId: id }));
    }
  }

  close() {
    this.#end.abort();
  }
}
globalThis.EventSource = FetchedEventSource;

/** A server that has tickets, streams (`stream` says what each gets), and pages. */
async function daemon(t, { streams, page = { data: [], next: null, has_more: false }, refusal }) {
  const seen = [];
  let count = 0;
  const part = async (talk) => {
    for (let request = await talk.request(); request; request = await talk.request()) {
      const { pathname, searchParams } = new URL(request.target, 'http://h');
      seen.push(pathname);
      if (pathname === '/v1/tickets') talk.answer(201, { ticket: 't' });
      else if (refusal && pathname === '/v1/runs/7/events') talk.answer(...refusal);
      else if (pathname === '/v1/runs/7/events' && searchParams.has('ticket')) {
        talk.events();
        for (const [data, more] of streams[Math.min(count++, streams.length - 1)]) talk.event(data, more);
      } else if (pathname === '/v1/runs/7/events') talk.answer(200, page);
      else talk.answer(404, { code: 'not_found', detail: pathname });
    }
  };
  const server = await scripted(t, [part]);
  return { server, seen };
}

const ended = [{ reason: 'ended' }, { kind: 'close' }];
const event = (sequence, name = 'llm.stream') => [{ sequence, event: name }, { id: sequence, kind: name }];

async function follow(url, options = {}) {
  const client = new Client({ url, wait: () => Promise.resolve(), ...options });
  const found = [];
  for await (const { sequence } of await client.followRun(7, { via: 'eventsource' })) found.push(sequence);
  return found;
}

for (const slash of ['', '/']) {
  test(`events come once, at the address "${slash}", and errors of a model are among them`, async (t) => {
    const { server } = await daemon(t, { streams: [[event(1), event(2, 'llm.error'), ended]] });
    assert.deepEqual(await follow(server.url + slash), [1, 2]);
  });
}

test('what another attempt would not mend is thrown', async (t) => {
  const { server } = await daemon(t, { streams: [], refusal: [404, { code: 'not_found', detail: 'no such run' }] });
  const failure = await follow(server.url).then(() => null, (error) => error);
  assert.equal(failure?.code, 'not_found');
});

test('a line that says nothing though there is something is made again', async (t) => {
  const page = { data: [{ sequence: 2, event: 'llm.stream' }], next: 2, has_more: false };
  const { server, seen } = await daemon(t, { streams: [[event(1)], [event(2), ended]], page });
  assert.deepEqual(await follow(server.url, { silenceMs: 50 }), [1, 2]);
  // A slow machine may be silent for so long more often than the script is.
  assert.ok(seen.filter((one) => one === '/v1/tickets').length >= 2, 'it was made again');
});
