// A cable to the daemon that a test can cut, as a network that is pulled out.
import net from 'node:net';

/** `port()` is the daemon's, which changes when it starts anew. */
export async function layCable(port) {
  const ends = new Set();
  const server = net.createServer((near) => {
    const far = net.connect(port(), '127.0.0.1');
    near.pipe(far).pipe(near);
    const end = () => { near.destroy(); far.destroy(); ends.delete(near); };
    for (const side of [near, far]) side.on('error', end).on('close', end);
    ends.add(near);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const cut = () => { for (const end of ends) end.destroy(); };
  return { url: `http://127.0.0.1:${server.address().port}`, cut, close: () => { cut(); server.close(); } };
}
