// Stands before a daemon with the files of web/dist, under the headers that the binary gives them.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';

const TYPES = { 'index.html': 'text/html; charset=utf-8', 'app.js': 'text/javascript; charset=utf-8', 'app.css': 'text/css; charset=utf-8', 'icon.svg': 'image/svg+xml' };
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** `upstream()` is the daemon's port, which changes when it starts anew. */
export async function serveApp(dist, upstream) {
  const sockets = new Set();
  const own = (headers) => ({ ...headers, host: `127.0.0.1:${upstream()}`, ...(headers.origin ? { origin: `http://127.0.0.1:${upstream()}` } : {}) });
  const server = http.createServer((request, response) => {
    const file = request.url === '/' ? 'index.html' : request.url.slice(1);
    if (TYPES[file]) {
      response.writeHead(200, { ...HEADERS, 'Content-Type': TYPES[file] });
      return response.end(readFileSync(new URL(file, dist)));
    }
    const onward = http.request({ port: upstream(), host: '127.0.0.1', method: request.method, path: request.url, headers: own(request.headers) }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    return request.pipe(onward);
  });
  server.on('upgrade', (request, socket, head) => {
    const onward = net.connect(upstream(), '127.0.0.1', () => {
      const lines = Object.entries(own(request.headers)).map(([name, value]) => `${name}: ${value}`);
      onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      if (head.length > 0) onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    const end = () => { socket.destroy(); onward.destroy(); };
    for (const side of [socket, onward]) side.on('error', end).on('close', end);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** As a network that is pulled out. */
    cut: () => { for (const socket of sockets) socket.destroy(); },
    close: () => { for (const socket of sockets) socket.destroy(); server.close(); },
  };
}
