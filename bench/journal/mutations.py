"""Mutations of the journal over 64 connections, and what the same disk and plain SQLite do in the same time."""
import contextlib
import json
import os
import selectors
import shutil
import socket
import sqlite3
import tempfile
import time

CONNECTIONS = 64
GROUP = 64      # mutations in a transaction of SQLite's
BLOCK = 4096    # bytes of one fdatasync
TABLES = ["journal_tasks", "journal_directory", "journal_terms", "changes", "record_clocks"]


class Loop:
    """One connection: a request, its answer, the next."""

    def __init__(self, server, requests, good, must=b""):
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests = requests
        self.good = good
        self.must = must
        self.answer = b""
        self.done = 0

    def send(self):
        self.socket.sendall(next(self.requests))

    def take(self):
        """Whether the answer is there whole."""
        self.answer += self.socket.recv(65536)
        head = self.answer.find(b"\r\n\r\n")
        if head < 0:
            return False
        length = int(self.answer[:head].lower().split(b"content-length:")[1].split(b"\r\n")[0])
        if len(self.answer) < head + 4 + length:
            return False
        if not self.answer.startswith(self.good) or self.must not in self.answer:
            raise RuntimeError(self.answer.decode())
        self.answer = b""
        self.done += 1
        return True


def request(server, method, path, body):
    text = json.dumps(body).encode()
    return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token()}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n").encode() + text


def run(server, requests_of, good, seconds, connections=CONNECTIONS, must=b""):
    """Answers a second; the first tenth of the time does not count. Each answer begins like a good one and has what it must."""
    loops = [Loop(server, requests_of(number), good, must) for number in range(connections)]
    with selectors.DefaultSelector() as ready, contextlib.ExitStack() as stack:
        for loop in loops:
            stack.enter_context(loop.socket)
            ready.register(loop.socket, selectors.EVENT_READ, loop)
            loop.send()
        warm = time.monotonic() + seconds / 10
        begun, before = None, 0
        while begun is None or time.monotonic() < begun + seconds:
            for key, _ in ready.select(1):
                if key.data.take():
                    key.data.send()
            if begun is None and time.monotonic() >= warm:
                begun, before = time.monotonic(), sum(loop.done for loop in loops)
        took = time.monotonic() - begun
        made = sum(loop.done for loop in loops) - before
    return made / took, loops


def measure(server, seconds):
    def creations(number):
        for count in range(1 << 30):
            yield request(server, "POST", "/v1/journal/tasks",
                          {"id": f"t-{number}-{count}", "title": f"buy milk and bread {count}", "due_date": "2027-01-01"})

    created, loops = run(server, creations, b"HTTP/1.1 201", seconds)

    def changes(number):
        for count in range(1 << 30):
            yield request(server, "PATCH", f"/v1/journal/tasks/t-{number}-{count % max(loops[number].done, 1)}",
                          {"title": f"buy bread {count}", "status": ("done", "open")[count // max(loops[number].done, 1) % 2]})

    changed, _ = run(server, changes, b"HTTP/1.1 200", seconds)
    return {"create": created, "change": changed}


def peers(server, folder, seconds):
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        found = {"fdatasync": syncs(os.path.join(scratch, "file"), seconds)}
        for name, group in (("sqlite_each", 1), ("sqlite_64", GROUP)):
            path = os.path.join(scratch, name)
            shutil.copy(server.data / "belfry.db", path)
            found[name] = plain(path, group, seconds)
        return found


def syncs(path, seconds):
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        begun, count = time.monotonic(), 0
        while time.monotonic() < begun + seconds:
            os.write(file, bytes(BLOCK))
            os.fdatasync(file)
            count += 1
        return count / (time.monotonic() - begun)
    finally:
        os.close(file)


def plain(path, group, seconds):
    """Tasks a second, with the rows that one has left in the store, beside those that are there."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("PRAGMA synchronous = FULL")
        number, user, key = store.execute("SELECT number, user_id, id FROM journal_tasks WHERE id = ?", (b"t-1-0",)).fetchone()
        where = {"journal_tasks": ("number = ?", (number,)), "journal_directory": ("user_id = ? AND id = ?", (user, key)),
                 "journal_terms": ("number = ?", (number,)), "changes": ("record_id = ? LIMIT 1", (key,)),
                 "record_clocks": ("record_id = ?", (user + b"\n" + key,))}
        rows = {}
        for table in TABLES:
            names = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
            found = store.execute(f"SELECT * FROM {table} WHERE {where[table][0]}", where[table][1]).fetchall()
            if not found:
                raise RuntimeError(f"a task has left nothing in {table}")
            rows[table] = [dict(zip(names, row)) for row in found]
        first = store.execute("SELECT max(number) FROM journal_directory").fetchone()[0] + 1
        changes = store.execute("SELECT max(change_no), max(counter) FROM changes").fetchone()
        begun, count = time.monotonic(), 0
        while time.monotonic() < begun + seconds:
            store.execute("BEGIN IMMEDIATE")
            for _ in range(group):
                new = b"p-%d" % count
                own = {"number": first + count, "id": new, "record_id": new, "change_no": changes[0] + count + 1,
                       "counter": changes[1] + count + 1}
                clock = {"record_id": user + b"\n" + new}
                for table, models in rows.items():
                    for model in models:
                        row = {**model, **{name: value for name, value in own.items() if name in model}}
                        if table == "record_clocks":
                            row.update(clock)
                        store.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", tuple(row.values()))
                count += 1
            store.execute("COMMIT")
        return count / (time.monotonic() - begun)
