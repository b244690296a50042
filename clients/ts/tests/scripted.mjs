// A server that does what a test tells it, over real sockets: each connection runs the next part of the script.
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The server's side of one connection. */
class Talk {
  constructor(socket) {
    this.socket = socket;
    this.buffer = Buffer.alloc(0);
    this.ended = false;
    this.wake = () => {};
    socket.on('data', (piece) => { this.buffer = Buffer.concat([this.buffer, piece]); this.wake(); });
    socket.on('error', () => {});
    socket.on('close', () => { this.ended = true; this.wake(); });
    socket.on('end', () => { this.ended = true; this.wake(); });
  }

  async more() {
    if (this.ended) return false;
    await new Promise((resolve) => { this.wake = resolve; });
    return true;
  }

  async until(mark) {
    for (;;) {
      const at = this.buffer.indexOf(mark);
      if (at >= 0) {
        const taken = this.buffer.toString('utf8', 0, at);
        this.buffer = this.buffer.subarray(at + mark.length);
        return taken;
      }
      if (!(await this.more())) return null;
    }
  }

  async exactly(count) {
    while (this.buffer.length < count) if (!(await this.more())) return null;
    const taken = this.buffer.toString('utf8', 0, count);
    this.buffer = this.buffer.subarray(count);
    return taken;
  }

  /** The next HTTP request; null at the end. */
  async request() {
    const head = await this.until('\r\n\r\n');
    if (head === null) return null;
    const [first, ...lines] = head.split('\r\n');
    const [method, target] = first.split(' ');
    const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
    const body = headers['transfer-encoding'] === 'chunked' ? '' : await this.exactly(Number(headers['content-length'] ?? 0));
    return { method, target, headers, body };
  }

  /** The next chunk of a body; empty: the last. `fetch` of Node ends a chunk's line only when the next one comes. */
  async chunk() {
    let size = await this.until('\r\n');
    if (size === '') size = await this.until('\r\n');
    return size === null ? '' : (await this.exactly(parseInt(size, 16))) ?? '';
  }

  answer(status, body, headers = '') {
    const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    this.socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: ${text.length}\r\n${headers}\r\n`);
    this.socket.write(text);
  }

  events() {
    this.socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n');
  }

  event(data, { id, kind } = {}) {
    this.socket.write(`${id === undefined ? '' : `id: ${id}\n`}${kind ? `event: ${kind}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
  }

  /** The next JSON-RPC message; null at the end. */
  async call() {
    const head = await this.until('\r\n\r\n');
    return head === null ? null : JSON.parse(await this.exactly(Number(head.split(':')[1])));
  }

  say(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const whole = Buffer.concat([Buffer.from(`content-length: ${body.length}\r\n\r\n`), body]);
    this.socket.write(whole.subarray(0, 7)); // cut anywhere
    this.socket.write(whole.subarray(7));
  }

  receipt(call, number = 'r') {
    this.say({ id: call.id, result: { success: true, message: 'ok', notification_id: number } });
  }
}

/** Takes one connection after the other and runs `parts` on them, the last one for all further ones. */
export async function scripted(test, parts, { unix = false, port = 0 } = {}) {
  const open = new Set();
  const server = { connections: 0 };
  const folder = unix ? mkdtempSync(join(tmpdir(), 'belfry-ts-')) : null;
  const listener = net.createServer({ allowHalfOpen: true }, (socket) => {
    const part = parts[Math.min(server.connections++, parts.length - 1)];
    open.add(socket);
    Promise.resolve(part(new Talk(socket))).catch((failure) => { server.failure = failure; }).finally(() => socket.end());
  });
  await new Promise((resolve) => { listener.listen(unix ? join(folder, 's') : { port, host: '127.0.0.1' }, resolve); });
  const where = unix ? join(folder, 's') : listener.address().port;
  server.url = unix ? `unix:${where}` : `http://127.0.0.1:${where}`;
  server.rpc = unix ? `unix:${where}` : `tcp://127.0.0.1:${where}`;
  test.after(() => {
    for (const socket of open) socket.destroy();
    listener.close();
    if (folder) rmSync(folder, { recursive: true });
  });
  return server;
}

/** A port at which nobody listens. */
export async function freePort() {
  const found = net.createServer();
  await new Promise((resolve) => { found.listen(0, '127.0.0.1', resolve); });
  const { port } = found.address();
  await new Promise((resolve) => { found.close(resolve); });
  return port;
}

export async function eventually(condition) {
  const end = Date.now() + 30000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('this did not become true');
    await new Promise((resolve) => { setTimeout(resolve, 2); });
  }
}
