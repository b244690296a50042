"""Belfry itself, with its configuration as it comes."""
import http.client
import json

from .process import Server


class Belfry(Server):
    name = "belfry"
    label = "Belfry"
    reply_means = "fdatasync done"
    protocol = "belfry"

    def __init__(self, parent, binary, traced=False):
        super().__init__(parent, traced)
        self.binary = binary

    def prepare(self):
        self.data = self.folder / "data"

    def command(self):
        return [str(self.binary), "serve", "--data", str(self.data), "--port", str(self.port)]

    def environment(self):
        # No configuration, socket or state of the person who runs this may play a part.
        folders = {f"XDG_{kind}_HOME": str(self.folder / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700, exist_ok=True)
        return {**super().environment(), **folders, "XDG_RUNTIME_DIR": str(runtime)}

    def is_ready(self):
        try:
            return self.get("/readyz", authorized=False)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def token(self):
        return (self.data / "admin.token").read_text().strip()

    def count(self):
        """The head of the stream of all events; sequences are without a gap."""
        status, body = self.get("/v1/streams")
        if status != 200:
            raise RuntimeError(f"belfry: {status} {body}")
        heads = [stream["head"] for stream in json.loads(body)["data"] if stream["name"] == "events"]
        return heads[0] if heads else 0

    def get(self, target, authorized=True):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            link.request("GET", target, headers={"Authorization": f"Bearer {self.token()}"} if authorized else {})
            answer = link.getresponse()
            return answer.status, answer.read().decode()
        finally:
            link.close()

    def program_arguments(self):
        return [*super().program_arguments(), "--token", self.token()]
