"""What the tests of sync share: daemons that are devices, paired by a code, and what they know held against each other."""

import http.client
import json
import os
import socket
import subprocess
import time

import belfry
import faults
import ports
from belfry import PATIENCE, eventually, json_of
from journal import JournalCase
from sync_proxy import Proxy

# Of a record: what each device counts or writes for itself.
LOCAL = ("number", "revision", "updated_at", "runtime", "next", "next_run_at", "due_at", "fault", "position")


class UnixConnection(http.client.HTTPConnection):
    """HTTP through the daemon's own socket: from another network namespace it is the only way in."""

    def __init__(self, path, timeout):
        super().__init__("127.0.0.1", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Device(belfry.Daemon):
    """A daemon that listens for others and keeps its port when it is started again."""

    def __init__(self, name, *options, listen="127.0.0.1", namespace=None, clock_s=None, **more):
        super().__init__("--sync-name", name, *options, **more)
        self.name = name
        self.listen = listen
        self.namespace = namespace
        self.sync_port = ports.reserve_port() if listen else 0
        if clock_s is not None:
            self.faults = faults.Faults(self.folder)
            self.environment.update(LD_PRELOAD=faults.library(), BELFRY_FAULTS=self.faults.path)
            self.faults.jump(wall_s=clock_s)

    def command(self, *more):
        inside = ["ip", "netns", "exec", self.namespace] if self.namespace else []
        listen = ["--sync-listen", f"{self.listen}:{self.sync_port}"] if self.listen else []
        return [*inside, *super().command(*listen, *more)]

    def connect(self, timeout=PATIENCE):
        return UnixConnection(self.socket_path, timeout) if self.namespace else super().connect(timeout)

    def start(self, *more, ready=True):
        super().start(*more, ready=ready)
        if self.listen and ready:
            self.sync_port = int(self.status()["device"]["listens_on"].rsplit(":", 1)[1])
        return self

    @property
    def address(self):
        return f"{self.listen}:{self.sync_port}"

    def status(self):
        answer = self.get("/v1/sync/status")
        assert answer.status == 200, answer.body
        return json_of(answer)

    def peer(self, name):
        return next((one for one in self.status()["peers"] if one["name"] == name), None)

    def is_connected(self, name):
        peer = self.peer(name)
        return peer is not None and peer["connected"]

    def digest(self):
        answer = self.get("/v1/sync/digest")
        assert answer.status == 200, answer.body
        return json_of(answer)

    def merges(self):
        return json_of(self.get("/v1/sync/merges?limit=1000"))["data"]


class SyncCase(JournalCase):
    def device(self, name, *options, start=True, **more):
        made = Device(name, *options, **more)
        self.addCleanup(made.close)
        return made.start() if start else made

    def proxy(self, *words, **more):
        made = Proxy(*words, **more)
        self.addCleanup(made.close)
        return made

    def pair(self, shows, types, at=None):
        """A code of one, typed on the other; the other calls from then on."""
        shown = shows.run("peer", "pair")
        self.assertEqual(shown.code, 0, shown.err)
        typed = types.run("peer", "pair", shown.out.strip(), "--at", at or shows.address)
        self.assertEqual(typed.code, 0, typed.err)
        self.linked(shows, types)

    def linked(self, *devices):
        """Each is connected with the one after it."""
        for one, other in zip(devices, devices[1:]):
            eventually(f"{one.name} and {other.name} are connected; the logs say {one.log()[-1500:]} {other.log()[-1500:]}",
                       lambda a=one, b=other: a.is_connected(b.name) and b.is_connected(a.name))

    def pairs(self, *names, **more):
        """Devices in a row, each paired with the one before it."""
        made = [self.device(name, **more) for name in names]
        for one, other in zip(made, made[1:]):
            self.pair(one, other)
        return made

    def settled(self, device):
        """Nothing of its own waits to be told any more."""
        def is_settled():
            return all(one["unsent"] == 0 and one["unreceived"] == 0 for one in device.status()["peers"] if not one["revoked_at"])
        return eventually(f"nothing is behind at {device.name}: {device.status()}", is_settled)

    def converged(self, *devices, patience=PATIENCE):
        """They know the same: by their digests, and by all that can be read."""
        def differences():
            taken = [one.digest() for one in devices]
            return None if all(one == taken[0] for one in taken) else taken

        def is_so():
            return differences() is None
        try:
            eventually("the devices know the same", is_so, patience, pause=0.1)
        except AssertionError:
            said = "\n".join(f"{one.name}: {json.dumps(one.status())}\n{one.log()[-2000:]}" for one in devices)
            raise AssertionError(f"the devices do not come to know the same: {differences()}\n{said}") from None
        # A summary may be made at any moment: what is read counts if all know the same before and after it. The digest leaves out
        # records of destroyed agents, so these may still be on their way.
        taken, dumps, ends = None, [], time.monotonic() + patience
        while taken != [one.digest() for one in devices] or (dumps != dumps[:1] * len(devices) and time.monotonic() < ends):
            eventually("the devices know the same again", is_so, patience, pause=0.1)
            taken = [one.digest() for one in devices]
            dumps = [self.dump(one) for one in devices]
        for one, dump in zip(devices[1:], dumps[1:]):
            self.assertEqual(dumps[0], dump, f"{devices[0].name} and {one.name}")
        return dumps[0]

    # -- all that can be read of what is shared ------------------------------------------------------------------

    def dump(self, device, users=("ada",)):
        """Every shared record as it is read over HTTP, without what each device counts for itself."""
        found = {}
        for user in users:
            for line in self.export(device, user=user).decode().splitlines():
                record = json.loads(line)
                key = json.dumps(record.get("id") or [record.get("relation"), record.get("from_id"), record.get("to_id")])
                found[f"{user} {record.get('kind')} {key}"] = plain(record)
            for agent in self.agents_of(device, user):
                found[f"{user} agent {agent['id']}"] = plain(agent)
                for part in ("subscriptions", "timers"):
                    for one in json_of(device.get(f"/v1/agents/{agent['id']}/{part}?limit=1000"))["data"]:
                        found[f"{user} {part} {one['id']}"] = plain(one)
                for one in self.messages(device, agent["id"]):
                    found[f"{user} message {one['id']}"] = plain(one)
        return found

    @staticmethod
    def agents_of(device, user):
        return json_of(device.get(f"/v1/agents?user={user}&limit=1000"))["data"]

    @staticmethod
    def messages(device, agent):
        lines = []
        after = ""
        while True:
            answer = device.get(f"/v1/agents/{agent}/export?limit=1000{after}")
            if answer.status != 200:
                return lines
            lines += [json.loads(line) for line in answer.body.decode().splitlines()]
            if not answer.headers.get("belfry-next"):
                break
            after = f"&after={answer.headers['belfry-next']}"
        return [line["message"] for line in lines if "message" in line]


def plain(value):
    """Without what is of one device only."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in LOCAL}
    return [plain(one) for one in value] if isinstance(value, list) else value


def ip(*words):
    subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)


class Network:
    """Namespaces around one in the middle: each has a cable to it and to nobody else. Whatever goes from one to another goes through a
    proxy that stands there."""

    def __init__(self, *names):
        self.prefix = f"b{os.getpid() % 100000}"
        self.middle = f"{self.prefix}m"
        self.names = {}
        ip("netns", "add", self.middle)
        ip("-n", self.middle, "link", "set", "lo", "up")
        for number, name in enumerate(names, 1):
            space, inner, outer = f"{self.prefix}n{number}", f"{self.prefix}i{number}", f"{self.prefix}o{number}"
            ip("netns", "add", space)
            self.names[name] = (space, number, outer)
            ip("link", "add", inner, "netns", space, "type", "veth", "peer", "name", outer, "netns", self.middle)
            ip("-n", space, "link", "set", "lo", "up")
            ip("-n", space, "addr", "add", f"10.77.{number}.2/24", "dev", inner)
            ip("-n", space, "link", "set", inner, "up")
            ip("-n", self.middle, "addr", "add", f"10.77.{number}.1/24", "dev", outer)
            ip("-n", self.middle, "link", "set", outer, "up")

    def space(self, name):
        return self.names[name][0]

    def own(self, name):
        """The address of a device in its namespace."""
        return f"10.77.{self.names[name][1]}.2"

    def gate(self, name):
        """The address of the middle, as that device sees it."""
        return f"10.77.{self.names[name][1]}.1"

    def pull(self, name, out=True):
        """Pulls the cable, or puts it back: what goes through it is lost, and nobody is told."""
        ip("-n", self.middle, "link", "set", self.names[name][2], "down" if out else "up")

    def close(self):
        for space, _, _ in self.names.values():
            subprocess.run(["ip", "netns", "del", space], check=False)
        subprocess.run(["ip", "netns", "del", self.middle], check=False)
