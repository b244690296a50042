// The package eventsource as a reader of a run: told {url, token, names}. It comes back by itself, with Last-Event-ID.
import { load, told } from './packages.mjs';

const { EventSource } = await load('eventsource');
const { url, token, names } = told();
const headers = [];
const source = new EventSource(url, {
  fetch: (input, init) => {
    headers.push(init.headers['Last-Event-ID'] ?? null);
    return fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } });
  },
});
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
for (const name of names) source.addEventListener(name, ({ data, lastEventId }) => say({ name, id: lastEventId, data: JSON.parse(data) }));
source.onmessage = ({ data, lastEventId }) => say({ name: 'message', id: lastEventId, data: JSON.parse(data) });
source.addEventListener('close', ({ data }) => {
  source.close();
  say({ name: 'close', data: JSON.parse(data), headers });
});
source.onerror = (error) => {
  if (source.readyState === EventSource.CLOSED) {
    say({ name: 'failed', code: error.code });
    process.exit(1);
  }
};
