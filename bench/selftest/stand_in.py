"""A stand-in for Belfry's HTTP interface that can be told to lie. It keeps nothing and promises nothing: it is there to
show that the bench programs notice, which no honest server can show."""
import asyncio
import json
import threading

HEAD = "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n{more}\r\n"


class StandIn:
    """Runs in a thread of its own inside a `with` block.

    lie: "" (none), "refuse", "no_id", "short", "replayed" for answers; "lose", "double", "late" (a double
    after a while), "swap", "gap" for streams, from the event `when` on. chunked: the stream's transfer encoding."""

    def __init__(self, lie="", when=3, chunked=False):
        self.lie, self.when, self.chunked = lie, when, chunked
        self.count = 0
        self.connections = []
        self.readers = []

    def __enter__(self):
        started = threading.Event()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, args=(started,))
        self.thread.start()
        started.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def _run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()
        server.close()
        for writer in self.connections:
            writer.transport.abort()
        while tasks := asyncio.all_tasks(self.loop):
            self.loop.run_until_complete(asyncio.wait(tasks))
        self.loop.close()

    async def _serve(self, reader, writer):
        self.connections.append(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                if head.startswith("GET /v1/streams/events"):
                    self._open_stream(writer)
                elif head.startswith("POST /v1/events"):
                    size = int(head.lower().split("content-length:")[1].split()[0])
                    self._take_in(writer, await reader.readexactly(size))
                else:
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _open_stream(self, writer):
        encoding = "Transfer-Encoding: chunked\r\n" if self.chunked else ""
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{encoding}\r\n".encode())
        self._send(writer, "retry: 1000\n\n")
        self.readers.append(writer)

    def _take_in(self, writer, body):
        events = json.loads(body)
        single = isinstance(events, dict)
        first = self.count
        self.count += 1 if single else len(events)
        entries = [json.dumps(event, separators=(",", ":")) for event in ([events] if single else events)]
        frames = [f"id: {first + i + 1}\ndata: {{\"sequence\":{first + i + 1},\"event\":{entry}}}\n\n"
                  for i, entry in enumerate(entries)]
        for number, stream in enumerate(self.readers):
            # Only the last reader is lied to.
            self._send(stream, "".join(self._bent(frames, first) if number + 1 == len(self.readers) else frames))
        self._answer(writer, single, len(entries))

    def _bent(self, frames, first):
        at = self.when - first
        if not 0 <= at < len(frames):
            return frames
        if self.lie == "late":
            self.loop.call_later(0.1, self._send, self.readers[-1], frames[at])
        bent = {"lose": [], "double": [frames[at]] * 2, "gap": ["event: gap\ndata: {\"from\":1,\"to\":2}\n\n"],
                "swap": [*reversed(frames[at:at + 2])]}.get(self.lie, [frames[at]])
        return frames[:at] + bent + frames[at + (2 if self.lie == "swap" else 1):]

    def _answer(self, writer, single, count):
        lies = self.lie if self.count > self.when else ""
        status = "503 Service Unavailable" if lies == "refuse" else "201 Created"
        found = {"id": "e", "sequence": self.count} if single else {"accepted": count, "refused": 0, "data": []}
        body = json.dumps(found, separators=(",", ":"))
        if lies == "no_id":
            body = "{}"
        if lies == "short":
            body = body.replace(f"\"accepted\":{count}", f"\"accepted\":{count - 1}")
        more = "Idempotent-Replayed: true\r\n" if lies == "replayed" else ""
        writer.write((HEAD.format(status=status, size=len(body), more=more) + body).encode())

    def _send(self, writer, text):
        if self.chunked and text:
            # In two chunks, so that lines are torn.
            half = len(text) // 2
            writer.write(b"".join(f"{len(part):x}\r\n{part}\r\n".encode() for part in (text[:half], text[half:])))
        else:
            writer.write(text.encode())
