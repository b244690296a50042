"""A local server that speaks chat completions as scripts say, for tests: it answers each request with the next of its scripts, the last
one for ever, and keeps what it was asked.

    with ChatServer(stream(text("Hel"), text("lo"), finish(), DONE)) as server:
        ...  # ask server.url
        server.requests[0].body["messages"]

A script is a function of a connection (`Answer`): the helpers below make the usual ones, good and bad. Nothing here sleeps: a script that
stalls waits until its client hangs up or the server is closed. With `certificate=(PEM, KEY)` it speaks TLS. Standard library only.

As a program (`chat_server.py [PORT]`) it says hello to whoever asks, or calls the first tool that it is offered.
"""

import collections
import json
import select
import socket
import socketserver
import ssl
import sys
import threading

Request = collections.namedtuple("Request", "method path headers body")  # names of headers in lower case; body as JSON

# -- what streams are made of ------------------------------------------------------------------------------------------

DONE = "data: [DONE]\n\n"
PING = ": ping\n\n"


def piece(delta, finish_reason=None, **members):
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return f"data: {json.dumps({'id': 'chatcmpl-1', 'object': 'chat.completion.chunk', 'model': 'scripted', 'choices': [choice], **members})}\n\n"


def text(words):
    return piece({"content": words})


def call(index=None, id=None, name=None, arguments=None):  # pylint: disable=redefined-builtin
    """A piece of a tool call; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    part = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return piece({"tool_calls": [{**part, "type": "function", "function": function}]})


def finish(reason="stop"):
    return piece({}, reason)


def usage(prompt, completion):
    count = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return f"data: {json.dumps({'choices': [], 'usage': count})}\n\n"


# -- scripts -----------------------------------------------------------------------------------------------------------


def stream(*frames, content_type="text/event-stream"):
    """All of the frames, and the end of the answer."""

    def script(answer):
        answer.begin(content_type)
        for frame in frames:
            answer.chunk(frame)
        answer.end()

    return script


def drip(*frames):
    """The same, each byte in a chunk of its own."""

    def script(answer):
        answer.begin()
        for byte in "".join(frames).encode():
            answer.chunk(bytes([byte]))
        answer.end()

    return script


def whole(message, finish_reason="stop", count=None):
    """One JSON text, whatever was asked for."""
    body = {"object": "chat.completion", "model": "scripted",
            "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}]}
    if count:
        body["usage"] = {"prompt_tokens": count[0], "completion_tokens": count[1]}
    return status(200, body)


def status(code, body="", **headers):
    """This status; a body that is no text is sent as JSON. Retry_After="7" is the header Retry-After."""

    def script(answer):
        raw = body if isinstance(body, str) else json.dumps(body)
        answer.head(code, {"Content-Type": "text/plain" if isinstance(body, str) else "application/json",
                           "Content-Length": len(raw.encode()), **{name.replace("_", "-"): value for name, value in headers.items()}})
        answer.send(raw)

    return script


def error(code, message, **headers):
    return status(code, {"error": {"message": message, "type": "scripted", "code": None}}, **headers)


def stall(*frames, head=True):
    """These frames, and then nothing until the client hangs up. Without `head` not even a status."""

    def script(answer):
        if head:
            answer.begin()
        for frame in frames:
            answer.chunk(frame)
        answer.wait_for_hang_up()

    return script


def cut(*frames, half=""):
    """These frames, half of one more, and the connection ends in the middle of the answer."""

    def script(answer):
        answer.begin()
        for frame in frames:
            answer.chunk(frame)
        if half:
            answer.chunk(half)

    return script


def endless(frame):
    """The same frame until the client hangs up."""

    def script(answer):
        answer.begin()
        while answer.chunk(frame):
            pass

    return script


def raw(content):
    """These bytes in place of an answer."""
    return lambda answer: answer.send(content)


def wait_for(event, then):
    """Nothing until a test sets the event."""

    def script(answer):
        event.wait(60)
        then(answer)

    return script


def follow(answer):
    """An answer to what was asked: the first tool is called, or else hello is said; a result is repeated."""
    asked = answer.request.body
    last = asked["messages"][-1]
    tools = asked.get("tools") or []
    if last["role"] == "tool":
        return stream(text("It said: "), text(last["content"]), finish(), usage(9, 3), DONE)(answer)
    if tools:
        name = tools[0]["function"]["name"]
        return stream(call(0, "call_1", name, ""), call(0, arguments="{}"), finish("tool_calls"), usage(9, 3), DONE)(answer)
    return stream(text("Hel"), text("lo."), finish(), usage(9, 2), DONE)(answer)


# -- the server --------------------------------------------------------------------------------------------------------


class Answer:
    """The connection as a script sees it. Sending to a client that is gone is no failure; `send` then says False."""

    def __init__(self, connection, request, closing):
        self.connection = connection
        self.request = request
        self.closing = closing

    def send(self, content):
        try:
            self.connection.sendall(content.encode() if isinstance(content, str) else content)
            return True
        except OSError:
            return False

    def head(self, code, headers):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return self.send(f"HTTP/1.1 {code} Scripted\r\n{lines}Connection: close\r\n\r\n")

    def begin(self, content_type="text/event-stream"):
        return self.head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})

    def chunk(self, content):
        content = content.encode() if isinstance(content, str) else content
        return self.send(b"%x\r\n%s\r\n" % (len(content), content))

    def end(self):
        return self.send("0\r\n\r\n")

    def wait_for_hang_up(self):
        while True:
            ready, _, _ = select.select([self.connection, self.closing], [], [])
            if self.closing in ready:
                return
            try:
                if not self.connection.recv(4096):
                    return
            except ssl.SSLWantReadError:
                continue
            except OSError:
                return


def read_request(file):
    method, path, _ = file.readline().decode().split(" ", 2)
    headers = {}
    while line := file.readline().decode().strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Request(method, path, headers, json.loads(file.read(int(headers.get("content-length", "0"))) or "null"))


class ChatServer:
    def __init__(self, *scripts, certificate=None, port=0):
        self.requests = []
        self._scripts = scripts or (follow,)
        self._lock = threading.Lock()
        self._closing = socket.socketpair()
        outer = self
        tls = None
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(*certificate)

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                outer._serve(self.request, tls)  # pylint: disable=protected-access

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True  # and closing it waits for its threads

        self._server = Server(("127.0.0.1", port), Handler)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def _serve(self, connection, tls):
        try:
            if tls:
                connection = tls.wrap_socket(connection, server_side=True)
            with connection.makefile("rb") as file:
                request = read_request(file)
        except (OSError, ValueError):
            connection.close()
            return  # whoever does not trust the certificate, or only looked
        with self._lock:
            self.requests.append(request)
            script = self._scripts[min(len(self.requests), len(self._scripts)) - 1]
        script(Answer(connection, request, self._closing[0]))
        if tls:
            try:
                connection.unwrap()
            except OSError:
                pass
            connection.close()

    def close(self):
        self._closing[1].send(b"x")
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for end in self._closing:
            end.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


if __name__ == "__main__":
    with ChatServer(port=int(sys.argv[1]) if len(sys.argv) > 1 else 0) as serving:
        print(serving.url, flush=True)
        threading.Event().wait()
