"""NATS JetStream with its file store."""
import json
import socket

from .process import Server

STREAM = {"name": "EVENTS", "subjects": ["bench.events"], "retention": "limits", "storage": "file", "discard": "old",
          "max_consumers": -1, "max_msgs": -1, "max_bytes": -1, "max_age": 0, "num_replicas": 1}


class Nats(Server):
    name = "nats"
    label = "NATS JetStream, file store"
    reply_means = "written, not synced"
    protocol = "nats"

    def command(self):
        return ["nats-server", "-js", "-sd", str(self.folder / "store"), "-a", "127.0.0.1", "-p", str(self.port)]

    def arrange(self):
        self.ask("$JS.API.STREAM.CREATE.EVENTS", json.dumps(STREAM))

    def count(self):
        return self.ask("$JS.API.STREAM.INFO.EVENTS", "")["state"]["messages"]

    def ask(self, subject, body):
        """One request of JetStream's interface, over the text protocol."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as link:
            lines = link.makefile("rb")
            link.sendall(f"CONNECT {{\"verbose\":false}}\r\nSUB _INBOX.run 1\r\n"
                         f"PUB {subject} _INBOX.run {len(body)}\r\n{body}\r\n".encode())
            while True:
                words = lines.readline().decode().split()
                if words[:1] == ["PING"]:
                    link.sendall(b"PONG\r\n")
                elif words[:1] == ["MSG"]:
                    answer = json.loads(lines.read(int(words[-1])))
                    if "error" in answer:
                        raise RuntimeError(f"nats: {answer['error']}")
                    return answer
                elif words[:1] != ["INFO"]:
                    raise RuntimeError(f"nats: {words}")
