// A real browser on Belfry's own page: told {chromium, url, token, session, runs: {native, upload, fetch, eventsource}, names}.
// Its own EventSource reads a run with a one-time ticket; then clients/ts, as it lies in its folder, does what a web app does.
import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, report, told } from './packages.mjs';

const facts = told();
const { default: WebSocket } = await load('ws');
const sources = join(dirname(fileURLToPath(import.meta.url)), '../../clients/ts/src');

// The client's files, as any web server would give them.
const files = http.createServer((request, answer) => {
  answer.setHeader('Content-Type', 'text/javascript');
  answer.setHeader('Access-Control-Allow-Origin', '*');
  createReadStream(join(sources, normalize(request.url))).on('error', () => answer.writeHead(404).end()).pipe(answer);
});
await new Promise((resolve) => { files.listen(0, '127.0.0.1', resolve); });

const profile = mkdtempSync(join(tmpdir(), 'belfry-browser-'));
const browser = spawn(facts.chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
{ stdio: ['ignore', 'ignore', 'pipe'], detached: true });

// The browser's helpers outlive it for a moment and go on writing into the profile: it goes when the last of their group is gone.
function endTheGroup(left = 500) {
  try {
    process.kill(-browser.pid, 'SIGKILL');
  } catch {
    return Promise.resolve();
  }
  return left === 0 ? Promise.resolve() : new Promise((resolve) => { setTimeout(() => resolve(endTheGroup(left - 1)), 10); });
}
const finish = async (result) => {
  browser.removeAllListeners('exit');
  await endTheGroup();
  try {
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  } catch (refused) {
    process.stderr.write(`${refused.message}\n`); // what a browser leaves in /tmp says nothing about Belfry
  }
  report(result);
};
setTimeout(() => finish({ error: 'the browser took too long' }), 80000).unref();

const address = await new Promise((resolve, reject) => {
  let said = '';
  browser.stderr.on('data', (piece) => {
    said += piece;
    const found = /DevTools listening on (ws:\/\/\S+)/.exec(said);
    if (found) resolve(found[1]);
  });
  browser.once('exit', () => reject(new Error(`the browser ended: ${said}`)));
});

const socket = new WebSocket(address);
await new Promise((resolve) => { socket.on('open', resolve); });
const waiting = new Map();
let next = 1;
socket.on('message', (text) => {
  const { id, result, error } = JSON.parse(text);
  if (waiting.has(id)) waiting.get(id)(error ? { failed: error } : result);
});
const devtools = (method, params = {}, sessionId = undefined) => new Promise((resolve) => {
  const id = next++;
  waiting.set(id, resolve);
  socket.send(JSON.stringify({ id, method, params, sessionId }));
});

const { targetId } = await devtools('Target.createTarget', { url: 'about:blank' });
const { sessionId } = await devtools('Target.attachToTarget', { targetId, flatten: true });
await devtools('Page.enable', {}, sessionId);
await devtools('Page.setBypassCSP', { enabled: true }, sessionId); // the files come from elsewhere here
await devtools('Page.navigate', { url: facts.url }, sessionId);

/** Runs an async function in the page. */
async function inPage(work, argument) {
  const expression = `(async () => {
    while (document.readyState !== 'complete') await new Promise((resolve) => { setTimeout(resolve, 10); });
    return (${work})(${JSON.stringify(argument)});
  })()`;
  const { result, exceptionDetails, failed } = await devtools('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
  if (failed || exceptionDetails) return { error: JSON.stringify(failed ?? exceptionDetails.exception?.description ?? exceptionDetails) };
  return result.value;
}

/* global EventSource, fetch */
const native = await inPage(async ({ token, runs, names }) => {
  const ticketOf = async () => (await (await fetch('/v1/tickets', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })).json()).ticket;
  const read = (ticket) => new Promise((resolve) => {
    const found = [];
    const source = new EventSource(`/v1/runs/${runs.native}/events?ticket=${ticket}`);
    for (const name of names) source.addEventListener(name, ({ data, lastEventId }) => found.push([name, lastEventId, JSON.parse(data).data]));
    source.addEventListener('close', ({ data }) => { source.close(); resolve({ found, close: JSON.parse(data) }); });
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) resolve({ found, failed: true }); };
  });
  const ticket = await ticketOf();
  return { first: await read(ticket), usedTicket: await read(ticket) };
}, facts);

const client = await inPage(async ({ token, session, runs, files }) => {
  const { Client, Sender } = await import(`${files}/index.js`);
  const made = new Client({ token });
  const read = async (run, options) => {
    const found = [];
    for await (const event of await made.followRun(run, options)) found.push([event.sequence, event.event]);
    return found;
  };
  const accepted = await made.emit({ type: 'browser.says', source: 'page', payload: { text: 'é' } });
  const sender = new Sender(location.origin.replace(/^http/, 'ws'), { token });
  const receipt = await sender.send(session, 'user_input', { text: 'from the page' });
  const refusal = await sender.send('nobody-at-all', 'user_input', { text: 'x' }).catch((error) => error.code);
  sender.close();
  const uploaded = await made.uploadRun(runs.upload, Array.from({ length: 1500 }, (_, data) => ({ event: 'page.counts', data })));
  return {
    accepted, receipt, refusal, uploaded, canStreamUp: made.canStreamUp,
    byFetch: await read(runs.fetch), byEventSource: await read(runs.eventsource, { via: 'eventsource' }),
    tail: await read(runs.eventsource, { via: 'eventsource', after: 3 }),
  };
}, { ...facts, files: `http://127.0.0.1:${files.address().port}` });

finish({ native, client });
