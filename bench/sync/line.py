"""A line of TCP between two programs on this machine that passes on what comes and counts it: what TLS makes of it, without the headers
of TCP and IP."""
import socket
import threading
import time

CHUNK = 1 << 18


class Line:
    """Listens on 127.0.0.1 and calls `port` there for each who calls. Ends with its `with` block."""

    def __init__(self, port):
        self.to = ("127.0.0.1", port)
        self.counted = {"up": 0, "down": 0}  # bytes of those who call, and of the one who is called
        self.called_at = None                # when somebody has called last
        self.ends = set()
        self.lock = threading.Lock()

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self._shut(self.listener)  # which wakes whoever waits for the next caller
        self.thread.join()
        self.listener.close()
        self.cut()

    @property
    def passed(self):
        """Bytes so far, both ways."""
        with self.lock:
            return sum(self.counted.values())

    def cut(self):
        """All connections break; whoever calls again gets through."""
        with self.lock:
            ends = list(self.ends)
        for end in ends:
            self._shut(end)

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self.to, timeout=10)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            self.called_at = time.monotonic()
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.ends |= {near, far}
            for way, start, end in (("up", near, far), ("down", far, near)):
                threading.Thread(target=self._pass, args=(way, start, end), daemon=True).start()

    def _pass(self, way, start, end):
        """Until one of the two ends; then both do."""
        try:
            while data := start.recv(CHUNK):
                with self.lock:
                    self.counted[way] += len(data)
                end.sendall(data)
        except OSError:
            pass
        for one in (start, end):
            self._shut(one)
        with self.lock:
            self.ends.discard(start)
        start.close()

    @staticmethod
    def _shut(end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
