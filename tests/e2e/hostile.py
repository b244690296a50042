"""A device that has gone bad: the key of a paired one, TLS and WebSocket by hand, and any words that a test wants said with it."""

import base64
import contextlib
import functools
import hashlib
import json
import os
import socket
import ssl
import struct
import subprocess
import time
import unittest
import warnings
import zlib

import belfry
from belfry import eventually, unique
from devices import Device, SyncCase
from readers import PATIENCE, Bytes

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
COMPRESSED = 0x40


def openssl(*words, stdin=b""):
    return subprocess.run(["openssl", *words], input=stdin, check=True, capture_output=True).stdout


class Key:
    """The key of a device, and a certificate that it signs itself."""

    def __init__(self, folder, path=None):
        self.folder = folder
        self.path = path or os.path.join(folder, "stranger.key")
        if path is None:
            openssl("genpkey", "-algorithm", "ed25519", "-out", self.path)
        self.certificate = os.path.join(folder, os.path.basename(self.path) + ".crt")
        openssl("req", "-x509", "-new", "-key", self.path, "-subj", "/CN=belfry", "-days", "3650", "-out", self.certificate)
        der = openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")
        self.public = base64.b64encode(der).decode()
        self.pin = hashlib.sha256(der).hexdigest()

    @functools.cache
    def sign(self, text):
        """Of a text, as base64; a seal is one of them."""
        path = os.path.join(self.folder, "to-sign")
        with open(path, "wb") as file:
            file.write(text.encode())
        return base64.b64encode(openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.path, "-in", path)).decode()

    def seal(self, host):
        return {"host": host, "key": self.public, "signature": self.sign("belfry host 1\n" + host)}

    def context(self, least=ssl.TLSVersion.TLSv1_3, most=ssl.TLSVersion.TLSv1_3, shown=True):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            made.minimum_version, made.maximum_version = least, most
        if shown:
            made.load_cert_chain(self.certificate, self.path)
        return made


class Link:
    """A link to a device's port. It says what it is told to, whatever that is."""

    def __init__(self, port, context, path="/v1/sync", packed=False, fields=""):
        plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket = plain
        self.inflate = zlib.decompressobj(-15)
        self.close_code = None
        extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n" if packed else ""
        try:
            self.socket = context.wrap_socket(plain)
            self.stream = Bytes(self.socket)
            self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: belfry\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
                                 f"Sec-WebSocket-Version: 13\r\n{extension}{fields}\r\n").encode())
            head = self.stream.until(b"\r\n\r\n")
        except BaseException:
            self.socket.close()
            raise
        self.status = int(head.split()[1]) if head else None

    def send(self, payload, opcode=TEXT, flags=0x80):
        """One frame of WebSocket. Its mask is of zeros, so it stands there as it is."""
        size = len(payload)
        if size < 126:
            head = bytes([0x80 | size])
        elif size < 1 << 16:
            head = bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head = bytes([0x80 | 127]) + struct.pack(">Q", size)
        self.socket.sendall(bytes([flags | opcode]) + head + b"\0\0\0\0" + payload)

    def say(self, message):
        """A message; what has left the link meanwhile does not hear the rest of it."""
        text = message if isinstance(message, bytes) else (message if isinstance(message, str) else json.dumps(message)).encode()
        try:
            self.send(text)
        except (OSError, ssl.SSLError):
            pass

    def frame(self, patience=PATIENCE):
        head = self.stream.exactly(2, patience)
        if head is None:
            return None
        size = head[1] & 0x7F
        if size >= 126:
            more = self.stream.exactly(2 if size == 126 else 8, patience)
            size = int.from_bytes(more, "big") if more else 0
        payload = self.stream.exactly(size, patience) if size else b""
        return None if payload is None else (head[0], payload)

    def hear(self, patience=PATIENCE):
        """The next message; nothing at the end of the link, or where none comes in time."""
        whole, packed = b"", False
        while True:
            frame = self.frame(patience)
            if frame is None:
                return None
            flags, payload = frame
            opcode = flags & 0x0F
            if opcode == CLOSE:
                self.close_code = int.from_bytes(payload[:2], "big") if payload else None
                try:
                    self.send(payload[:2], CLOSE)
                except (OSError, ssl.SSLError):
                    pass
                return None
            if opcode == PING:
                self.send(payload, PONG)
            if opcode in (PING, PONG):
                continue
            packed = packed or bool(flags & COMPRESSED)
            whole += payload
            if flags & 0x80:
                return json.loads(self.inflate.decompress(whole + b"\0\0\xff\xff") if packed else whole)

    def hear_of(self, name, patience=PATIENCE):
        """The next message of this name; what comes before it is passed over."""
        end = time.monotonic() + patience
        while True:
            message = self.hear(max(0.0, end - time.monotonic()))
            if message is None or name in message:
                return None if message is None else message[name]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def packed(text):
    """As permessage-deflate has it: the end of a block is left out."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (deflate.compress(text) + deflate.flush(zlib.Z_SYNC_FLUSH))[:-4]


def frame_of(host, after, entries, through=None, kinds=(("task", "ada"),), hosts=(), **more):
    """A frame with one batch; `hosts` are named by what stands in its records, from 1 on."""
    return {"frame": {"h": [host, *hosts], "k": [list(kind) for kind in kinds], "a": after,
                      "t": after + max(1, len(entries)) if through is None else through, "b": ["=batch"], **more, "e": entries}}


class HostileCase(SyncCase):
    """A desk with a good device beside it, and one whose key the tests have."""

    @classmethod
    def setUpClass(cls):
        cls.furnish(world())

    @classmethod
    def furnish(cls, devices):
        cls.desk, cls.good, cls.bad = devices
        cls.host = cls.bad.host
        cls.key = Key(cls.bad.folder, cls.bad.data + "/peer.key")
        cls.stranger = Key(cls.bad.folder)

    def setUp(self):
        self.mark = unique("evil")

    # -- what the bad one says -----------------------------------------------------------------------------------

    def call(self, key=None, context=None, **more):
        link = Link(self.desk.sync_port, context or (key or self.key).context(), **more)
        self.addCleanup(link.close)
        return link

    def greeting(self, **members):
        return {"hello": {"protocol": 2, "version": "1", "name": "bad", "host": self.host, "has": {}, "hosts": [self.key.seal(self.host)],
                          "whole_cursor": "", **members}}

    def up(self, key=None, packed=False, **members):
        """A link after both hellos. It says that it knows all that the desk does, so that nothing is told."""
        link = self.call(key, packed=packed)
        theirs = link.hear_of("hello")
        link.say(self.greeting(**{"has": theirs["has"], **members}))
        return link

    def known(self, host=None):
        """How far the desk has heard of a host."""
        return next((one["settled"] for one in self.desk.status()["hosts"] if one["host"] == (host or self.host)), 0)

    def body(self, **members):
        """Of a task, its fields in order."""
        whole = {"category_id": "general", "created_at": 1, "deleted_at": None, "title": self.mark, **TASK, **members}
        return dict(sorted(whole.items()))

    def record(self, body=None, name=None, changes=(1, 0), *more):
        """One record that a frame could have. The body's members are those of a task."""
        return [0, name or "=" + unique("r"), list(changes), self.body() if body is None else body, *more]

    def frame(self, *records, **more):
        return frame_of(self.host, self.known(), list(records), **more)

    # -- what must become of it ----------------------------------------------------------------------------------

    def last_error(self):
        return self.desk.peer("bad")["last_error"] or ""

    def refuses(self, code, *messages, link=None, says=""):
        """The last word of the link has this code, and stands in the status."""
        link = link or self.up()
        for message in messages:
            link.say(message)
        said = link.hear_of("refused")
        self.assertIsNotNone(said, f"the link has ended with {link.close_code} and without a word: {self.last_error()}")
        self.assertEqual(said["code"], code, said)
        self.assertIn(says, said["message"])
        self.assertIsNone(link.hear(), "it was the last word")
        expected = f"refused: {said['message']} ({code})"
        eventually(f"the status says {expected}; it says {self.last_error()}", lambda: self.last_error() == expected)

    def takes(self, link):
        """The link is still up, and what was said before has been heard."""
        counter = self.known()
        link.say(self.frame(self.record(self.body(title="harmless"))))
        eventually(f"it is taken; {self.last_error()}", lambda: self.known() == counter + 1)

    @contextlib.contextmanager
    def unharmed(self):
        """What happens in here leaves nothing behind, and the good one goes on."""
        before = self.desk.digest()
        yield
        self.assertIsNone(self.desk.process.poll(), self.desk.log()[-2000:])
        self.assertEqual(self.desk.digest(), before)
        self.assertEqual(belfry.traces_of(self.desk, self.mark), [])
        self.works_on()

    def works_on(self):
        """The good device and the desk tell each other what is new."""
        made = self.make(self.good, "tasks", title="from the good one")["id"]
        eventually(f"the desk hears of it: {self.desk.log()[-1500:]}", lambda: self.ask(self.desk, "GET", f"/tasks/{made}").status == 200)
        self.change(self.desk, "tasks", made, title="answered")
        eventually("the good one hears of it", lambda: self.read(self.good, "tasks", made)["title"] == "answered")

    def cases(self, code, **messages):
        """Each of them is refused with this code."""
        with self.unharmed():
            for name, message in messages.items():
                with self.subTest(name):
                    self.refuses(code, message)


# Of a task, as devices tell it, what is not of interest here.
TASK = {"due_date": None, "estimate_min": None, "extension": {}, "label_ids": [], "language": None, "priority": "p2", "status": "open", "text": None}


def make_world(add_cleanup):
    """The three of them, paired, after the bad one has turned bad: it was a daemon like any other until then."""
    clock = {} if belfry.is_sanitized() else {"clock_s": 0.0}
    devices = [Device("desk", **clock), Device("good", listen=None), Device("bad", listen=None)]
    case = HostileCase()
    for device in devices:
        add_cleanup(device.close)
        device.start()
    desk, good, bad = devices
    for device in (good, bad):
        case.pair(desk, device)
    for device in devices:
        case.make(device, "tasks", title=f"of {device.name}")
    case.converged(*devices)
    bad.host = bad.status()["device"]["host"]
    bad.stop()
    eventually("it is gone", lambda: not desk.is_connected("bad"))
    return devices


@functools.cache
def world():
    """One for all tests that leave nothing behind."""
    return make_world(unittest.addModuleCleanup)
