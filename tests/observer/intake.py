"""Callers of the random world that try the API: strangers, wrong parameters, repeated keys, times, session ids."""

import datetime
import json
import re
import time
import urllib.parse
import uuid

from harness import run_command
from parties import Emitter, Party
from recorder import Caller
from runtimes import path_of

import rpc

RPC_SECONDS_MAX = 15
RPC_STATUSES = {-32700: 400, -32600: 400, -32601: 404, -32602: 422, -32000: 429, -32001: 401, -32003: 403, -32004: 503,
                -32009: 409}


class Strangers(Party):
    """Makes records of one user, some in a session of another user, and has everybody ask for them."""

    def __init__(self, world, name, users, homes):
        super().__init__(world, name, world.daemon.admin_token)
        self.users = users
        self.homes = homes  # user → a session that stays
        self.emitter = Emitter(world, f"{name}-emitter", world.tokens["emitter"])
        self.readers = []  # (role, user, caller)
        for user in users:
            bound = world.daemon.mint("agent", bounds={"sessions": [homes[user]]})[0]
            self.readers += [("user", user, Caller(world.daemon, world.tokens["user", user])),
                             ("agent", user, Caller(world.daemon, world.tokens["r1", user])),
                             ("agent", user, Caller(world.daemon, bound))]

    def act(self):
        owner, other = self.random.sample(self.users, 2)
        make = self.random.choice([self.make_event, self.make_event, self.make_notification])
        found, mark, session = make(owner, self.random.choice(["", self.homes[owner], self.homes[other], self.homes[other]]))
        if found:
            paths = [f"/v1/why/{found}"] if make == self.make_event else [f"/v1/why/{found}", f"/v1/notifications/{found}"]
            for role, user, caller in self.readers:
                if user == owner and role != "user":
                    continue
                self.read(role, user, caller, self.random.choice(paths), mark)
        if session:
            role, user, caller = self.random.choice(self.readers)
            # Every filter is the reader's own right: a page holds what the reader may see.
            self.read(role, user, caller, f"/v1/streams/events?session={session}&limit=200", "")
        self.pause(0.3, 0.8)

    def make_event(self, owner, session):
        """An error that no subscriber knows, or context; the session may belong to another user."""
        mark = self.recorder.mark("m")
        kind, severity, expect = self.random.choice([("x.crossed", "error", "inbox")] * 3 + [("plain.failed", "warning", "")])
        body = {"type": kind, "source": mark, "severity": severity, "user_id": owner, "payload": {"secret": mark}}
        if session:
            body["session_id"] = session
        began = self.recorder.tick()
        status, reason, answer = self.caller.call("POST", "/v1/events", body)
        self.recorder.add("event_emitted", self.name, began, caller=self.name, role="admin", type=kind, source=mark,
                          severity=severity, user=owner, session=session, mark=mark, expect=expect,
                          answer={"status": status, "reason": reason}, id=answer.get("id", ""))
        return answer.get("id"), mark, session

    def make_notification(self, owner, _):
        session = self.random.choice(["", self.homes[owner]])
        answer = self.emitter.emit(owner, "sus" if session else "uus", session=session)
        return answer.get("id"), self.emitter.last_mark, session

    def read(self, role, user, caller, path, mark):
        began = self.recorder.tick()
        status, document = caller.exchange("GET", path)
        self.recorder.add("record_read", self.name, began, caller=f"{role}-{user}", role=role, user=user, path=path, mark=mark,
                          answer={"status": status, "reason": document.get("code", "") if status >= 400 else ""},
                          text=json.dumps(document))


class Fumbler(Party):
    """Sends query parameters that routes do not have, and switches subscribers."""

    # Routes whose answer does not end, and one that removes a user.
    LEFT_OUT = ("live", "rpc", "ag-ui", "erasures")
    METHODS = ("get", "post", "put", "patch", "delete")

    def __init__(self, world, name, user, session):
        super().__init__(world, name, world.tokens["user", user])
        self.user = user
        self.session = session
        self.admin = Caller(world.daemon, world.daemon.admin_token)
        self.routes = []
        status, document = self.admin.exchange("GET", "/openapi.json")
        for path, methods in (document["paths"] if status == 200 else {}).items():
            if not any(word in path for word in self.LEFT_OUT):
                self.routes += [(method.upper(), path) for method in methods if method in self.METHODS]

    def act(self):
        self.random.choice([self.emit_notification, self.emit_event, self.post_message, self.switch_wrongly,
                            self.switch_wrongly, self.switch, self.try_route, self.try_route])()
        self.pause(0.1, 0.4)

    def send(self, caller, method, path, parameter, body=None):
        """Returns the start, the answer for the record, and the document."""
        began = self.recorder.tick()
        status, document = caller.exchange(method, f"{path}?{parameter}=1", body)
        field = str(document.get("field") or "") if status >= 400 else ""
        answer = {"status": status, "reason": document.get("code", "") if status >= 400 else ""}
        self.recorder.add("parameter_sent", self.name, began, caller=self.name, method=method, path=path, parameter=parameter,
                          answer=answer, field=field)
        return began, answer, document

    def emit_notification(self):
        mark = self.recorder.mark("m")
        text = f"{mark} fumbled"
        began, answer, document = self.send(self.caller, "POST", "/v1/notifications", "x", {"text": text})
        self.recorder.add("emitted", self.name, began, caller=self.name, role="user", user=self.user, routing="uus", mark=mark,
                          text=text, answer=answer, id=document.get("id", ""), version=document.get("version", 0))

    def emit_event(self):
        mark = self.recorder.mark("m")
        body = {"type": "w.f", "source": mark, "severity": "error", "payload": {"what": "fumbled"}}
        began, answer, document = self.send(self.caller, "POST", "/v1/events", "user", body)
        self.recorder.add("event_emitted", self.name, began, caller=self.name, role="user", type="w.f", source=mark,
                          severity="error", user=self.user, mark=mark, expect="inbox", answer=answer,
                          id=document.get("id", ""))

    def post_message(self):
        mark = self.recorder.mark("u")
        body = {"role": "user", "content": f"{mark} fumbled", "deliver": True}
        began, answer, document = self.send(self.caller, "POST", path_of(self.session, "/messages"), "to", body)
        self.recorder.add("message_posted", self.name, began, caller=self.name, user=self.user, session=self.session,
                          role="user", mark=mark, text=body["content"], answer=answer, id=document.get("id", ""))

    def switch_wrongly(self):
        """The route of the list has the parameter `user`; the route of the switch has not. If Belfry ignored the parameter, the
        request would change the setting of the caller."""
        by_admin = self.random.random() < 0.5
        caller, user = (self.admin, self.world.owner) if by_admin else (self.caller, self.user)
        began, answer, _ = self.send(caller, "PUT", "/v1/subscribers/subagent", "user", {"enabled": False})
        self.recorder.add("subscriber_switched", self.name, began, caller=self.name, user=user, subscriber="subagent",
                          enabled=False, answer=answer)
        self.read_settings(self.user)
        self.read_settings(self.world.owner)

    def switch(self):
        enabled = self.random.random() < 0.5
        began = self.recorder.tick()
        status, reason, _ = self.caller.call("PUT", "/v1/subscribers/source_stale", {"enabled": enabled})
        self.recorder.add("subscriber_switched", self.name, began, caller=self.name, user=self.user, subscriber="source_stale",
                          enabled=enabled, answer={"status": status, "reason": reason})
        self.read_settings(self.user)

    def read_settings(self, user):
        began = self.recorder.tick()
        status, reason, answer = self.admin.call("GET", f"/v1/users/{user}/settings")
        self.recorder.add("settings_read", self.name, began, user=user, disabled=answer.get("disabled_subscribers", []),
                          answer={"status": status, "reason": reason})

    def try_route(self):
        if self.routes:
            method, path = self.random.choice(self.routes)
            path = re.sub(r"\{[a-z]+\}", "none", path.replace("{number}", "1"))
            body = {} if method in ("POST", "PUT", "PATCH") else None
            self.send(self.admin, method, path, f"p{self.random.randrange(10)}", body)


class KeySender(Party):
    """Repeats POST requests under one Idempotency-Key, on every kind of route."""

    KEYLESS = ("/v1/tickets", "/v1/tokens", "/v1/links", "/v1/peers/pairing")
    TRIES = 6

    def __init__(self, world, name, user, session):
        super().__init__(world, name, world.daemon.admin_token)
        self.user = user
        self.session = session
        self.marks = {"runs": [], "interactions": []}

    def act(self):
        self.random.choice([self.make_run, self.make_run, self.post_message, self.post_message, self.ask_user, self.make_agent,
                            self.add_timer, self.try_keyless])()
        self.pause(0.2, 0.6)

    def repeat(self, path, body, mark, other=None, record=None):
        """Sends the request until it was answered twice, and sometimes another one under the same key."""
        key = f"{self.name}-{self.recorder.unique('key')}"
        answers = 0
        for _ in range(self.TRIES):
            status = self.send(path, body, key, mark, record=record)
            answers += 1 if status and status < 500 else 0
            if answers == 2:
                break
            time.sleep(0 if status else 0.1)
        if other and self.random.random() < 0.4:
            self.send(path, other, key, "")
        return key

    def send(self, path, body, key, mark, takes_key=True, record=None):
        began = self.recorder.tick()
        status, document = self.caller.exchange("POST", path, body, **{"Idempotency-Key": key})
        is_made = 200 <= status < 300
        answer = {"status": status, "reason": document.get("reason") or document.get("code") or "" if status >= 400 else ""}
        made = str(document.get("id") or document.get("event_id") or "") if is_made else ""
        self.recorder.add("key_sent", self.name, began, caller=self.name, path=path, key=key, takes_key=takes_key,
                          body=json.dumps(body), mark=mark, answer=answer, made=made)
        if record:
            record(began, answer, made)
        return status

    def make_run(self):
        mark = self.recorder.mark("k")
        self.marks["runs"].append(mark)
        self.repeat("/v1/runs", {"user_id": self.user, "title": mark}, mark, {"user_id": self.user, "title": "other"})

    def make_agent(self):
        name = f"keyed-{self.recorder.unique('agent')}"
        self.repeat("/v1/agents", {"id": name, "user_id": self.user}, "")

    def add_timer(self):
        name = f"timed-{self.recorder.unique('agent')}"
        if self.caller.call("POST", "/v1/agents", {"id": name, "user_id": self.user})[0] == 201:
            timer = {"name": "t", "schedule": {"kind": "every", "interval": "24h"}}
            self.repeat(f"/v1/agents/{name}/timers", timer, "", {**timer, "name": "u"})

    def ask_user(self):
        mark = self.recorder.mark("k")
        self.marks["interactions"].append(mark)
        self.repeat(path_of(self.session, "/interactions"), {"kind": "confirmation", "message": f"{mark} May I?"}, mark)

    def post_message(self):
        mark = self.recorder.mark("u")
        body = {"role": "user", "content": f"{mark} says a key", "deliver": True}

        def record(began, answer, made):
            self.recorder.add("message_posted", self.name, began, caller=self.name, user=self.user, session=self.session,
                              role="user", mark=mark, text=body["content"], answer=answer, id=made)
        self.repeat(path_of(self.session, "/messages"), body, mark, record=record)

    def try_keyless(self):
        path = self.random.choice(self.KEYLESS)
        body = {"name": "x", "role": "emitter"} if path == "/v1/tokens" else {}
        self.send(path, body, f"{self.name}-{self.recorder.unique('key')}", "", takes_key=False)

    def count_records(self):
        """At the end of the world: how many records carry each mark."""
        for what, path, text in (("runs", f"/v1/runs?user={self.user}", "title"),
                                 ("interactions", f"/v1/interactions?session={urllib.parse.quote(self.session)}", "message")):
            found = {mark: [] for mark in self.marks[what]}
            after = ""
            while True:
                status, _, page = self.caller.call("GET", f"{path}&limit=100{after}")
                if status != 200:
                    return
                for one in page["data"]:
                    for mark in self.world.marks_of(one[text] or ""):
                        if mark in found:
                            found[mark].append(str(one["id"]))
                if not page["has_more"]:
                    break
                after = f"&after={page['next']}"
            for mark, ids in found.items():
                self.recorder.add("records_counted", self.name, what=what, mark=mark, ids=ids)


# ---- times and session ids ------------------------------------------------------------------------------------------


def write_time(instant, form):
    """A time in a form of ISO 8601, and the instant that the text means."""
    year, week, day = instant.isocalendar()
    second, minute, hour = {"microsecond": 0}, {"microsecond": 0, "second": 0}, {"microsecond": 0, "second": 0, "minute": 0}
    local = instant.astimezone(datetime.timezone(datetime.timedelta(hours=2)))
    forms = {
        "nanoseconds": (instant.strftime("%Y-%m-%dT%H:%M:%S,%f789+00:00"), {}),
        "comma": (instant.strftime("%Y-%m-%dT%H:%M:%S,%fZ"), {}),
        "minutes": (instant.strftime("%Y-%m-%dT%H:%M+00:00"), minute),
        "short": (instant.strftime("%Y-%m-%dT%H:%MZ"), minute),
        "hours": (instant.strftime("%Y-%m-%dT%H+00:00"), hour),
        "colonless": (instant.strftime("%Y-%m-%dT%H:%M:%S+0000"), second),
        "local": (local.strftime("%Y-%m-%dT%H:%M:%S+02"), second),
        "basic": (instant.strftime("%Y%m%dT%H%M%SZ"), second),
        "basic minutes": (instant.strftime("%Y%m%dT%H%MZ"), minute),
        "ordinal": (instant.strftime("%Y-%jT%H:%M:%SZ"), second),
        "week": (f"{year:04}-W{week:02}-{day}T{instant.strftime('%H:%M:%S')}Z", second),
        "plain": (instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), {}),
    }
    text, cut = forms[form]
    meant = instant.replace(**cut)
    return text, int((meant - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(microseconds=1))


FORMS = ("nanoseconds", "comma", "minutes", "short", "hours", "colonless", "local", "basic", "basic minutes", "ordinal", "week",
         "plain")


def micros_of(text):
    """The instant of an answer's time, which is RFC 3339 in UTC."""
    instant = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int((instant - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(microseconds=1))


class TimeKeeper(Party):
    """Emits events whose timestamps have the forms that programs write, and reads them back."""

    def __init__(self, world, name):
        super().__init__(world, name, world.daemon.admin_token)

    def act(self):
        text, meant = write_time(datetime.datetime.now(datetime.timezone.utc), self.random.choice(FORMS))
        choice = self.random.random()
        if choice < 0.1:
            self.emit_by_command(text, meant)
        else:
            self.emit(text, meant, "cloudevents" if choice < 0.4 else "events")
        self.pause(0.2, 0.5)

    def emit(self, text, meant, way):
        body = {"type": "time.told", "source": "clock"}
        headers = {}
        if way == "events":
            body["timestamp"] = text
        else:
            body |= {"specversion": "1.0", "id": str(uuid.uuid4()), "time": text}
            headers["Content-Type"] = "application/cloudevents+json"
        began = self.recorder.tick()
        status, document = self.caller.exchange("POST", "/v1/events", body, **headers)
        read = None
        if status == 201:
            found, _, page = self.caller.call("GET", f"/v1/streams/events?after={document['sequence'] - 1}&limit=1")
            entries = page["data"] if found == 200 else []
            if entries and entries[0]["sequence"] == document["sequence"]:
                read = micros_of(entries[0]["event"]["timestamp"])
        self.record(began, way, text, meant, status, document.get("field") or "" if status >= 400 else "", read)

    def emit_by_command(self, text, meant):
        began = self.recorder.tick()
        code, _, err, lived = run_command(self.world, "emit", "time.told", "--time", text, "--data", self.world.daemon.data)
        status = 200 if code == 0 else 422 if code in (1, 2) and lived else 0
        self.record(began, "cli", text, meant, status, "time" if "8601" in err or "time" in err else err, None)

    def record(self, began, way, text, meant, status, field, read):
        self.recorder.add("time_sent", self.name, began, caller=self.name, way=way, text=text, meant_us=meant,
                          answer={"status": status}, field=field, read_us=read)


class Speaker(Party):
    """Speaks into sessions with unusual ids, by every way that there is."""

    def __init__(self, world, name, user):
        super().__init__(world, name, world.tokens["user", user])
        self.user = user

    def act(self):
        number = self.recorder.unique("odd")
        long = f"{number}" + "x" * self.random.choice([98, 110, 190])
        session = self.random.choice([f"a b {number}", f"slack:C042.{number}", long, f"a/b?{number}", f"50% ü {number}",
                                      f"plain-{number}"])
        if self.make_session(session):
            for way in self.random.sample([self.by_http, self.by_rpc, self.by_rpc, self.by_alias, self.by_command], 2):
                self.say(session, way)
        self.pause(0.4, 1.2)

    def make_session(self, session):
        began = self.recorder.tick()
        status, reason, _ = self.world.admin.call("PUT", path_of(session), {"user_id": self.user})
        self.recorder.add("session_made", self.name, began, session=session, user=self.user,
                          answer={"status": status, "reason": reason})
        if status != 200:
            return False
        with self.world.lock:
            self.world.live[session] = self.user
        return True

    def say(self, session, way):
        mark = self.recorder.mark("u")
        text = f"{mark} says {self.user}"
        began = self.recorder.tick()
        name, status, reason, made = way(session, text)
        self.recorder.add("message_posted", self.name, began, caller=self.name, user=self.user, session=session, role="user",
                          mark=mark, text=text, answer={"status": status, "reason": reason}, id=made, way=name)

    def by_http(self, session, text):
        status, reason, answer = self.caller.call("POST", path_of(session, "/messages"),
                                                  {"role": "user", "content": text, "deliver": True})
        return "http", status, reason, answer.get("id", "")

    def by_command(self, session, text):
        code, out, err, lived = run_command(self.world, "send", session, text, "--data", self.world.daemon.data)
        status = 200 if code == 0 else 422 if code == 1 and lived and "Rate limit" not in err else 0
        return "cli", status, err.strip() if code else "", out.strip()

    def by_rpc(self, session, text):
        return self.call_rpc(session, text, "rpc", "client/user_message")

    def by_alias(self, session, text):
        return self.call_rpc(session, text, "alias", "kaiak/client/user_message")

    def call_rpc(self, session, text, way, method):
        """A message with a time in one of the forms; the error names the field that is wrong."""
        written, meant = write_time(datetime.datetime.now(datetime.timezone.utc), self.random.choice(FORMS))
        began = self.recorder.tick()
        peer, status, reason, made = None, 0, "", ""
        try:
            peer = rpc.OverWebSocket(self.world.daemon, token=self.caller.token)
            params = rpc.message(session, text, timestamp=written)
            answer = peer.call(method, params, RPC_SECONDS_MAX)
            if "result" in answer:
                status, made = 200, answer["result"].get("notification_id") or ""
            else:
                error = answer["error"]
                status = RPC_STATUSES.get(error["code"], 422)
                reason = (error.get("data") or {}).get("field") or error["message"]
        except (OSError, ValueError, AssertionError, AttributeError, TypeError):
            time.sleep(0.05)
        finally:
            if peer:
                peer.close()
        self.recorder.add("time_sent", self.name, began, caller=self.name, way="rpc", text=written, meant_us=meant,
                          answer={"status": status}, field=reason)
        return way, status, reason, made
