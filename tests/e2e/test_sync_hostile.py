"""A paired device that has gone bad, and strangers at the port: whatever they say is refused with a reason or does no harm, and those who
behave go on as before. The daemon is the real one; what it is told comes from a peer written here."""

import base64
import contextlib
import json
import os
import socket
import ssl
import struct
import unittest

import belfry
from belfry import PATIENCE, eventually, json_of, unique
from devices import SyncCase
from hostile import BINARY, COMPRESSED, HostileCase, Key, frame_of, make_world, openssl, packed

MIB = 1 << 20
GREATEST = (1 << 63) - 1


class AtTheDoor(HostileCase):
    def turned_away(self, **more):
        """No link comes of it."""
        try:
            link = self.call(**more)
        except (OSError, ssl.SSLError):
            return
        self.assertIsNone(link.status, "a link has come of it")

    def test_a_key_that_is_not_paired_is_told_so_and_nothing_else(self):
        with self.unharmed():
            link = self.call(self.stranger)
            self.assertEqual(link.hear(), {"refused": {"code": "unknown_peer", "message": "this device is not paired with you"}})
            self.assertIsNone(link.hear())
            self.assertEqual(len(self.desk.status()["peers"]), 2)
            self.assertIn(self.stranger.pin, self.desk.log())

    def test_a_key_that_was_revoked_is_heard_no_more(self):
        lost = self.device("lost", listen=None)
        self.pair(self.desk, lost)
        host = lost.status()["device"]["host"]
        lost.stop()
        key = Key(lost.folder, lost.data + "/peer.key")
        eventually("it is gone", lambda: not self.desk.is_connected("lost"))
        with self.unharmed():
            link = self.up(key, host=host, hosts=[key.seal(host)])
            eventually("it is up", lambda: self.desk.is_connected("lost"))
            self.assertEqual(self.desk.run("peer", "revoke", "lost").code, 0)
            self.assertEqual(link.hear_of("refused")["code"], "unknown_peer")
            self.assertIsNone(link.hear())
            again = self.call(key)
            self.assertEqual(again.hear()["refused"]["code"], "unknown_peer")
            again.say(self.greeting(host=host, hosts=[key.seal(host)]))
            again.say(frame_of(host, 0, [self.record()]))
            self.assertIsNone(again.hear())
            self.assertRegex(self.desk.run("sync", "status").out, r"lost \(\w{8}\): revoked at 20")

    def test_other_tls_than_ours_does_not_come_in(self):
        elliptic = self.bad.folder + "/elliptic.key"
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", elliptic)
        with self.unharmed():
            for name, context in (
                    ("TLS 1.2", self.key.context(ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2)),
                    ("no certificate", self.key.context(shown=False)),
                    ("a key of another kind", Key(self.bad.folder, elliptic).context())):
                with self.subTest(name):
                    self.turned_away(context=context)

    def test_what_is_no_tls_is_hung_up_on(self):
        with self.unharmed():
            for name, said in (("HTTP", b"GET /v1/sync HTTP/1.1\r\nHost: desk\r\n\r\n"), ("noise", os.urandom(4096)), ("zeros", bytes(4096)),
                               ("a record that is too long", b"\x16\x03\x01\xff\xff" + b"\x01" * 70_000)):
                with self.subTest(name), socket.create_connection(("127.0.0.1", self.desk.sync_port), timeout=PATIENCE) as plain:
                    with contextlib.suppress(OSError):
                        plain.sendall(said)
                        while plain.recv(1 << 16):
                            pass
            with socket.create_connection(("127.0.0.1", self.desk.sync_port)) as plain:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def test_another_request_than_for_a_link_is_hung_up_on(self):
        with self.unharmed():
            for name, more in (("the root", {"path": "/"}), ("the HTTP interface", {"path": "/v1/events"}), ("a detour", {"path": "/v1/sync/../pair"}),
                               ("a query", {"path": "/v1/sync?x=1"}),
                               ("a long head", {"fields": "X-Long: " + "x" * 20_000 + "\r\n"}),
                               ("a body", {"fields": "Content-Length: 5\r\n\r\nhello"})):
                with self.subTest(name):
                    self.turned_away(**more)

    def test_a_crowd_that_says_nothing_keeps_nobody_out_for_long(self):
        with self.unharmed(), contextlib.ExitStack() as crowd:
            self.good.stop()
            sockets = [crowd.enter_context(socket.create_connection(("127.0.0.1", self.desk.sync_port))) for _ in range(200)]
            for one in sockets:
                one.setblocking(False)
            self.good.start()

            def drip():
                """A byte of a hello of TLS now and then keeps nobody there longer."""
                for one in sockets[::7]:
                    with contextlib.suppress(OSError):
                        one.send(b"\x16")
                return self.desk.is_connected("good")
            eventually("the good one gets through", drip, pause=0.2)
            self.assertEqual(self.desk.get("/readyz", token=None).status, 200)
            eventually("all of them were hung up on", lambda: all(self.has_ended(one) for one in sockets), pause=0.1)

    @staticmethod
    def has_ended(connection):
        try:
            return connection.recv(4096) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True


class Greetings(HostileCase):
    def refuses_hello(self, code, says="", **members):
        link = self.call()
        link.hear_of("hello")
        self.refuses(code, self.greeting(**members), link=link, says=says)

    def test_of_another_version_name_both(self):
        with self.unharmed():
            for version in (0, 1, 3, -1, 99):
                self.refuses_hello("protocol", protocol=version,
                                   says=f"sync protocol versions differ: 2 and {version}; update Belfry on the device with version {min(2, version)}")
            link = self.call()
            self.refuses("protocol", {"hello": {}}, link=link, says="versions differ: 2 and 0")
            self.assertRegex(self.desk.run("sync", "status").out, r"bad \(\w{8}\): not connected[\s\S]*last error: refused: .*\(protocol\)")

    def test_come_first_and_once(self):
        words = {"ping": {"ping": {}}, "ack": {"ack": {"has": {}}}, "gone": {"gone": []}, "frame": self.frame(self.record()),
                 "page": {"page": {"h": [], "k": [], "c": "", "n": "", "v": {}, "e": []}}}
        with self.unharmed():
            for name, word in words.items():
                with self.subTest(name):
                    self.refuses("hello_first", word, link=self.call())
            self.refuses("unexpected", self.greeting(name="another"), says="a second hello")
        link = self.up(has={})
        link.say(self.greeting())
        self.takes(link)

    def test_are_sealed_by_the_key_of_the_link(self):
        good, desk = self.good.status()["device"]["host"], self.desk.status()["device"]["host"]
        theirs = self.call().hear_of("hello")["hosts"]
        of_good = next(seal for seal in theirs if seal["host"] == good)
        own, other = self.key.seal(self.host), self.key.seal("nobody.1")
        with self.unharmed():
            for name, code, members in (
                    ("a signature of something else", "bad_signature", {"hosts": [{**own, "signature": other["signature"]}]}),
                    ("a signature of another key", "bad_signature", {"hosts": [{**own, "signature": self.stranger.seal(self.host)["signature"]}]}),
                    ("no signature", "bad_signature", {"hosts": [{**own, "signature": ""}]}),
                    ("no base64", "bad_signature", {"hosts": [{**own, "signature": "!!!", "key": "???"}]}),
                    ("one good and one bad seal", "bad_signature", {"hosts": [own, {**other, "signature": own["signature"]}]}),
                    ("no seal", "forged_host", {"hosts": []}),
                    ("a stranger's seal", "forged_host", {"hosts": [self.stranger.seal(self.host)]}),
                    ("a seal of another host", "forged_host", {"hosts": [other]}),
                    ("as the desk", "forged_host", {"host": desk, "hosts": [self.key.seal(desk)]}),
                    ("as the good one", "forged_host", {"host": good, "hosts": [self.key.seal(good)]}),
                    ("as the good one, with its own seal", "forged_host", {"host": good, "hosts": [of_good]}),
                    ("vouching for the good one with its own key", "forged_host", {"hosts": [own, self.key.seal(good)]}),
                    ("vouching for the desk with its own key", "forged_host", {"hosts": [own, self.key.seal(desk)]}),
                    ("no host", "forged_host", {"host": ""}),
                    ("a host that cannot be read", "invalid", {"host": "a\nb", "hosts": [{**own, "host": "a\nb"}]})):
                with self.subTest(name):
                    self.refuses_hello(code, **members)

    def test_that_know_more_of_the_desk_than_itself_are_of_a_lost_past(self):
        desk = self.desk.status()["device"]["host"]
        with self.unharmed():
            for counter in (self.known(desk) + 1_000_000, GREATEST):
                self.refuses_hello("lost_past", has={desk: counter}, says="was set back")

    def test_have_bounds(self):
        many = [f"h{number}.1" for number in range(65)]
        own = self.key.seal(self.host)
        with self.unharmed():
            for name, code, members in (
                    ("hosts", "oversized", {"hosts": [{**own, "host": host} for host in many]}),
                    ("counters", "oversized", {"has": {host: 1 for host in many}}),
                    ("a name", "oversized", {"name": "n" * 1000}), ("a host", "oversized", {"host": "h" * 1000}),
                    ("a key", "oversized", {"hosts": [{**own, "key": "A" * 10_000}]}), ("a cursor", "oversized", {"whole_cursor": "c" * 20_000}),
                    ("a counter above all", "invalid", {"has": {"h": GREATEST + 1}}), ("a counter of 64 bits", "invalid", {"has": {"h": 1 << 64}}),
                    ("a counter below zero", "invalid", {"has": {"h": -1}}), ("half a counter", "invalid", {"has": {"h": 0.5}}),
                    ("a counter that is text", "invalid", {"has": {"h": "1"}}), ("a list of counters", "invalid", {"has": [1]}),
                    ("a version beyond numbers", "invalid", {"protocol": 1 << 64}), ("a version that is text", "invalid", {"protocol": "1"})):
                with self.subTest(name):
                    self.refuses_hello(code, **members)

    def test_with_a_place_in_the_pages_that_nobody_gave_them_harm_nothing(self):
        with self.unharmed():
            for text in (b"", b"x", b'{"kind":', b'{"kind":"', b'{"kind":"task"x}', b'{"kind":"task","place":"\\', b'{"kind":"task","place":"\xff","cover":{}}',
                         b'{"kind":"task","place":"","cover":{"h":1', b'{"kind":"task","place":"","cover":[1]}', b'{"kind":1,"place":2,"cover":{}}',
                         b'{"kind":' * 50, b'{"kind":"agent_message","place":"99999999999999999999","cover":{}}',
                         b'{"kind":"link","place":"\\u0000\\u001f","cover":{}}', b'{"kind":"task","place":"\\u0000","cover":{}}'):
                with self.subTest(text):
                    for ack in (False, True):
                        cursor = base64.b64encode(text).decode()
                        link = self.up(whole_cursor="" if ack else cursor)
                        if ack:
                            link.say({"ack": {"has": {}, "whole_cursor": cursor}})
                        link.say({"ping": {}})
                        link.say(self.greeting(name="so that it ends"))
                        self.assertIn(link.hear_of("refused")["code"], ("unexpected", "malformed", "invalid"))


class Sizes(HostileCase):
    def ends_as_too_big(self, link):
        while link.hear() is not None:
            pass
        self.assertEqual(link.close_code, 1009)
        eventually("the status says why", lambda: self.last_error() == "refused: a message is larger than it may be (oversized)")

    def test_of_a_message_end_at_8_mib(self):
        with self.unharmed():
            link = self.up()
            link.say(b'{"ping":"' + self.mark.encode() + b"x" * (8 * MIB) + b'"}')
            self.ends_as_too_big(link)
            link = self.up()
            with contextlib.suppress(OSError):
                link.send(b'{"ping":"', flags=0)
                for _ in range(200):
                    link.send(b"x" * 65536, opcode=0, flags=0)
            self.ends_as_too_big(link)

    def test_of_a_message_are_those_of_what_it_unpacks_to(self):
        before = self.desk.memory()
        with self.unharmed():
            bomb = packed(b'{"ping":"' + b"x" * (400 * MIB) + b'"}')
            self.assertLess(len(bomb), MIB)
            link = self.up(packed=True)
            link.send(bomb, flags=0x80 | COMPRESSED)
            self.ends_as_too_big(link)
        if not belfry.is_sanitized():
            self.assertLess(self.desk.memory() - before, 64 * MIB)
        link = self.up(packed=True)
        link.send(packed(b'{"ping":"' + b"x" * (7 * MIB) + b'"}'), flags=0x80 | COMPRESSED)
        self.takes(link)

    def test_of_a_record_end_at_4_mib_and_at_2000_fields(self):
        stamps = [[1, 0, self.known() + 1, f"f{number}"] for number in range(2001)]
        fields = {f"f{number:05}": number for number in range(2001)}
        self.cases("oversized", bytes=self.frame(self.record(self.body(title=self.mark + "x" * (4 * MIB)))),
                   fields=self.frame(self.record(self.body(**fields))),
                   stamps=self.frame(self.record(None, None, (1, 0), 0, stamps)),
                   values=self.frame(self.record(None, None, (1, 0), 0, [], {name: [] for name in fields})))

    def test_of_lists_have_bounds(self):
        after = self.known()
        hosts = [f"h{number}.1" for number in range(65)]
        many = [[0, f"=r{number}", [number + 1, 0], self.body()] for number in range(2001)]
        ranges = [[self.host, number * 2 + 1, number * 2 + 1] for number in range(257)]
        self.cases("oversized", hosts=self.frame(self.record(), hosts=hosts), records=self.frame(*many, through=after + 2001),
                   kinds=self.frame(self.record(), kinds=[("task", f"u{number}") for number in range(2001)]),
                   changes=self.frame(self.record(None, None, [1, 0] * 2001), through=after + 2001),
                   gone={"gone": ranges}, missing={"ack": {"has": {}, "missing": ranges}}, confirm={"ack": {"has": {}, "confirm": ranges}},
                   clock=self.frame(self.record(None, None, (1, 0), [0, 1] * 65)), owner=self.frame(self.record(), kinds=[("task", "u" * 300)]),
                   confirm_of_many={"ack": {"has": {}, "confirm": [[self.host, 1, GREATEST]]}})


class Frames(HostileCase):
    def test_that_lie_nowhere_are_refused(self):
        after = self.known()
        one = self.record
        self.cases("invalid", far_ahead=frame_of(self.host, after + 200_000_000, [one()]),
                   at_the_end_of_numbers=frame_of(self.host, GREATEST - 1, [one()]),
                   ends_before_it_begins=frame_of(self.host, after + 5, [one()], through=after + 1),
                   is_empty=frame_of(self.host, after, [], through=after),
                   leaves_one_out=frame_of(self.host, after, [one()], through=after + 2),
                   has_one_twice=frame_of(self.host, after, [one(), one()], through=after + 1),
                   has_one_outside=frame_of(self.host, after, [one(None, None, (2, 0))], through=after + 1),
                   is_too_wide=frame_of(self.host, after, [one()], through=after + 1_000_000, g=[[0, after + 2, after + 1_000_000]]),
                   goes_back=frame_of(self.host, after, [one(None, None, (0, 0))]),
                   below_zero=frame_of(self.host, -1, [one()]), half=frame_of(self.host, 0.5, [one()]),
                   beyond_63_bits=frame_of(self.host, GREATEST, [one()]), beyond_64_bits=frame_of(self.host, (1 << 64) - 1, [one()]),
                   no_batch=frame_of(self.host, after, [one(None, None, (1, 2))]), half_a_change=frame_of(self.host, after, [one(None, None, (1,))]),
                   gone_outside=frame_of(self.host, after, [one()], g=[[0, after + 7, after + 9]]),
                   gone_backwards=frame_of(self.host, after, [one()], g=[[0, after + 1, after]]),
                   gone_of_another=frame_of(self.host, after, [one()], hosts=["other.1"], g=[[1, after + 1, after + 1]]),
                   no_kind=frame_of(self.host, after, [[1, "=r", [1, 0], self.body()]]),
                   no_host=frame_of("", after, [one()]), half_a_record=frame_of(self.host, after, [[0, "=r"]]),
                   a_page_with_changes={"page": frame_of(self.host, after, [one()])["frame"]},
                   a_frame_without={"frame": {"h": [], "k": [], "c": "", "n": "", "v": {}, "e": []}})

    def test_of_hosts_that_are_not_the_speakers_to_tell_of_are_refused(self):
        desk = self.desk.status()["device"]["host"]
        with self.unharmed():
            self.refuses("forged_host", frame_of(desk, self.known(desk), [self.record()]), says="this device itself")
            self.refuses("unknown_host", frame_of("nobody.1", 0, [self.record()]), says="nobody has vouched for")
            self.refuses("forged_host", {"page": {"h": [], "k": [], "c": "", "n": "", "v": {desk: self.known(desk) + 1000}, "e": []}})

    def test_over_and_over_change_nothing(self):
        link = self.up()
        counter = self.known()
        frame = frame_of(self.host, counter, [self.record(self.body(title="once"))])
        link.say(frame)
        eventually("it is taken", lambda: self.known() == counter + 1)
        link.hear_of("ack")
        with self.unharmed():
            for _ in range(200):
                link.say(frame)
                self.assertIsNotNone(link.hear_of("ack"))
            page = {"page": {"h": [], "k": [], "c": "none of ours", "n": "none of ours either", "v": {}, "e": []}}
            for _ in range(50):
                link.say(page)
                self.assertIsNotNone(link.hear_of("ack"))
            self.assertEqual(self.known(), counter + 1)

    def test_without_waiting_for_an_answer_are_taken_one_after_the_other(self):
        link = self.up()
        counter = self.known()
        for number in range(40):
            link.say(frame_of(self.host, counter + number, [self.record(self.body(title="of many"))]))
        eventually(f"all are taken: {self.last_error()}", lambda: self.known() == counter + 40)
        self.works_on()

    def test_with_a_gap_before_them_are_asked_for_and_end_the_gap_when_it_is_filled(self):
        link = self.up()
        counter = self.known()
        link.say(frame_of(self.host, counter + 5, [self.record(self.body(title="after the gap"))]))
        self.assertEqual(link.hear_of("ack")["missing"], [[self.host, counter + 1, counter + 5]])
        self.assertEqual(self.known(), counter)
        link.say(frame_of(self.host, counter, [], through=counter + 5, g=[[0, counter + 1, counter + 5]]))
        ack = link.hear_of("ack")
        self.assertEqual(ack["confirm"], [[self.host, counter + 1, counter + 5]])
        self.refuses("unexpected", {"gone": [[self.host, counter + 1, counter + 7]]}, link=link, says="nobody asked")
        self.works_on()
        link = self.up()
        link.say(frame_of(self.host, counter, [], through=counter + 5, g=[[0, counter + 1, counter + 5]]))
        link.hear_of("ack")
        link.say({"gone": [[self.host, counter + 1, counter + 5]]})
        eventually("the gap is closed", lambda: self.known() == counter + 6)
        self.works_on()


class Acknowledgements(HostileCase):
    def test_that_ask_for_the_same_again_and_again_are_answered_once(self):
        desk = self.desk.status()["device"]["host"]
        with self.unharmed():
            link = self.up()
            wish = {"ack": {"has": {}, "missing": [[desk, 1, GREATEST]], "confirm": [[desk, 1, 1], [self.host, 1, 1]]}}
            for _ in range(100):
                link.say(wish)
            link.say(self.greeting(name="so that it ends"))
            told = []
            while (message := link.hear()) is not None:
                told.append(next(iter(message)))
            self.assertEqual(told[-1], "refused")
            self.assertLess(told.count("frame") + told.count("gone"), 10, told)

    def test_of_more_gaps_than_a_link_remembers_end_it(self):
        with self.unharmed():
            link = self.up()
            for number in range(20):
                link.say({"ack": {"has": {}, "confirm": [[self.host, 1000 * number + 2 * one + 1, 1000 * number + 2 * one + 1] for one in range(256)]}})
            self.refuses("too_many", link=link, says="more gaps")

    def test_of_what_was_never_sent_harm_only_whoever_says_it(self):
        desk = self.desk.status()["device"]["host"]
        with self.unharmed():
            for has in ({desk: GREATEST}, {"nobody.1": GREATEST}, {f"n{number}.1": 1 for number in range(60)}):
                link = self.up()
                for _ in range(20):
                    link.say({"ack": {"has": has}})
                link.say({"ping": {}})
                self.refuses("unexpected", self.greeting(name="so that it ends"), link=link)
            peer = self.desk.peer("bad")
            self.assertEqual(peer["unsent"], 0, "it said that it had everything")
            self.assertNotIn("nobody.1", [one["host"] for one in self.desk.status()["hosts"]])

    def test_of_pages_that_come_to_nothing_end_the_link(self):
        with self.unharmed():
            place = {"kind": "task", "place": "", "host": self.desk.status()["device"]["host"], "cover": {}}
            cursor = base64.b64encode(json.dumps(place, separators=(",", ":")).encode()).decode()
            link = self.up(has={}, whole_cursor=cursor)
            for _ in range(5):
                self.assertIsNotNone(link.hear_of("page"))
                link.say({"ack": {"has": {}, "whole_cursor": cursor}})
            self.refuses("no_progress", link=link)

    def test_that_are_no_numbers_are_refused(self):
        self.cases("invalid", below_zero={"ack": {"has": {self.host: -1}}}, beyond={"ack": {"has": {self.host: 1 << 64}}},
                   from_nothing={"ack": {"has": {}, "missing": [[self.host, 0, 1]]}}, backwards={"ack": {"has": {}, "missing": [[self.host, 2, 1]]}},
                   half_a_range={"ack": {"has": {}, "confirm": [[self.host, 2]]}}, no_host={"gone": [["", 1, 1]]}, text={"gone": [[self.host, "1", "1"]]})


class Words(HostileCase):
    def test_that_are_no_json_are_refused(self):
        self.cases("malformed", nothing="", half='{"ping":', no_quotes="{ping:{}}", comma='{"ping":{},}', behind='{"ping":{}}{}', not_a_number='{"ack":{"has":{"h":NaN}}}',
                   infinite='{"ack":{"has":{"h":Infinity}}}', nested='{"ping":' + "[" * 100_000 + "]" * 100_000 + "}",
                   body='{"frame":{"h":["h"],"k":[["task","ada"]],"a":0,"t":1,"b":["=b"],"e":[[0,"=r",[1,0],' + '{"a":' * 100_000,
                   control='{"ping":"\x01"}', half_a_pair='{"ping":"\\ud800"}', plus='{"ack":{"has":{"h":+1}}}')

    def test_that_are_no_messages_are_refused(self):
        self.cases("invalid", list="[]", brackets="[" * 100_000, members='{"a":' * 100_000, number="7", null="null", empty={}, unknown={"exec": {"command": "true"}}, two='{"ping":{},"ack":{"has":{}}}',
                   hello_of_text={"hello": "x"}, frame_of_list={"frame": []}, ack_of_null={"ack": None}, gone_of_object={"gone": {}}, twice='{"ack":{"has":{},"has":{}}}')

    def test_that_are_no_text_end_the_link(self):
        with self.unharmed():
            link = self.up()
            link.send(b'{"ping":{}}', opcode=BINARY)
            self.assertIsNone(link.hear_of("ack"))
            eventually("the status says why", lambda: "no text" in self.last_error())
            link = self.up()
            link.send(b'{"ping":"\xff\xfe"}')
            self.assertIsNone(link.hear_of("ack"))
            self.assertEqual(link.close_code, 1007)
            eventually("the status says why", lambda: self.last_error().startswith("the link broke: "))

    def test_that_break_websocket_end_the_link(self):
        with self.unharmed():
            for name, more in (("an unknown kind", {"opcode": 5}), ("a reserved bit", {"flags": 0xF0}), ("packed without having said so", {"flags": 0xC0}),
                               ("the rest of nothing", {"opcode": 0}), ("a ping that is too long", {"opcode": 9, "payload": b"x" * 200})):
                with self.subTest(name):
                    link = self.up()
                    link.send(**{"payload": b'{"ping":{}}', **more})
                    self.assertIsNone(link.hear_of("ack"))
            link = self.up()
            link.socket.sendall(b"\x81\x05hello")
            self.assertIsNone(link.hear_of("ack"), "what is not masked")

    def test_that_refuse_the_desk_are_shown_and_nothing_else(self):
        with self.unharmed():
            self.up().say({"refused": {"code": "b\u001b[2Jad", "message": "go\naway \u202e"}})
            said = eventually("the status has it", lambda: "the other device refused" in self.last_error() and self.desk.run("sync", "status").out)
            for harmful in ("\x1b", "\u202e"):
                self.assertNotIn(harmful, said)


class Records(HostileCase):
    def of_kind(self, kind, body, name=None, user="ada"):
        return self.frame([0, name or "=" + unique("r"), [1, 0], body], kinds=[(kind, user)])

    def test_that_cannot_be_are_refused(self):
        body, one, frame = self.body, self.record, self.frame
        self.cases("invalid", token=self.of_kind("access_token", body()), wake=self.of_kind("wake", body()), event=self.of_kind("event", body()),
                   session=self.of_kind("session", body()), notification=self.of_kind("notification", body()), no_kind=self.of_kind("", body()),
                   text=frame(one("body")), a_list=frame(one([])), null=frame([0, "=r", [1, 0], None]),
                   title_of_number=frame(one(body(title=7))), title_of_list=frame(one(body(title=["a"]))), status=frame(one(body(status="gone"))),
                   deleted_never=frame(one(body(deleted_at="never"))), created_half=frame(one(body(created_at=0.5))), labels=frame(one(body(label_ids=[1]))),
                   control=frame(one(None, "=a\u0007b")), newline=frame(one(None, "=a\nb")), nothing=frame(one(None, "=")), reversed_text=frame(one(None, "=a\u202eb")),
                   no_id=frame(one(None, "abc")), user_control=self.of_kind("task", body(), user="a\u001bda"), no_user=self.of_kind("task", body(), user=""),
                   unsorted=frame(one({"title": self.mark, "category_id": "general"})),
                   stamp_from_nowhere=frame(one(None, None, (1, 0), 0, [[5, 1, 77, "title"]]), hosts=["nobody.1"]),
                   stamp_of_the_future=frame(one(None, None, (1, 0), 0, [[5, 0, GREATEST, "title"]])),
                   stamp_of_no_host=frame(one(None, None, (1, 0), 0, [[5, 9, 1, "title"]])), stamp_of_nothing=frame(one(None, None, (1, 0), 0, [[5]])),
                   stamp_beyond=frame(one(None, None, (1, 0), 0, [[1 << 64, 0, 1]])), stamp_without_field=frame(one(None, None, (1, 0), 0, [[1, 0, self.known() + 1, "nowhere"]])),
                   concurrent_title=frame(one(None, None, (1, 0), 0, [[1, 0, self.known() + 1]], {"title": [[1, 0, self.known() + 1, "a"], [2, 0, self.known() + 1, "b"]]})),
                   label_twice=frame(one(body(label_ids=["a", "a"]))), label_without_id=frame(one(body(label_ids=[""]))),
                   stamp_of_no_label=frame(one(None, None, (1, 0), 0, [[1, 0, self.known() + 1, "label_ids/x"]])),
                   order_of_no_label=frame(one(body(label_ids=["a", "b"]), None, (1, 0), 0, [[1, 0, self.known() + 1]],
                                               {"label_ids": [[1, 0, self.known() + 1, ["b", "a"]]]})),
                   notes_for_a_change=self.of_kind("merge_notes", {"id": "r", "kind": "task", "notes": []}),
                   message_without_agent=self.of_kind("agent_message", {"content": self.mark}, "AZihsgAAcACAAAAAAACrzQ"),
                   message_of_no_id=self.of_kind("agent_message", {"content": self.mark}), timer_of_no_id=self.of_kind("agent_timer", {"name": self.mark}),
                   agent_of_nobody=self.of_kind("agent", {"kind": "student"}), link_of_nothing=self.of_kind("link", {"relation": "next"}),
                   erasure_of_another=self.of_kind("erasure", {"clock": {self.host: 1}}, "=bob"),
                   erasure_of_text=self.of_kind("erasure", {"clock": "all"}, "=ada"), erasure_of_no_numbers=self.of_kind("erasure", {"clock": {"h": "1"}}, "=ada"),
                   erasure_of_no_host=self.of_kind("erasure", {"clock": {"a\u0007": 1}}, "=ada"))


class Tombstones(HostileCase):
    """What is over stays over, whatever versions somebody makes up."""

    def tells(self, record, **more):
        """The bad one tells of a record, as if it knew everything and had written last."""
        link = self.up()
        counter = self.known()
        link.say(self.frame(record, **more))
        eventually(f"it is taken: {self.last_error()}", lambda: self.known() == counter + 1)
        link.close()

    def overruling(self, name, kind, change, version=1 << 61):
        """The record as the desk tells it, with some fields in another state and a version that nobody has counted to."""
        theirs = self.told(name, kind)
        clock = [part for number, (host, counter) in enumerate(self.desk.digest()["has"].items(), 1) if host != self.host for part in (number, counter)]
        hosts = [host for host in self.desk.digest()["has"]]
        counter = self.known() + 1
        return ([0, theirs[1], [1, 0], {**theirs[3], **change}, [0, counter, *clock], [[version, 0, counter]]],
                {"kinds": [(kind, "ada")], "hosts": hosts})

    def told(self, name, kind):
        """How the desk tells of a record to somebody who knows nothing."""
        link = self.up(has={})
        while True:
            message = link.hear()
            self.assertIsNotNone(message, "it is not told")
            part = message.get("frame") or message.get("page") or {"e": []}
            for entry in part["e"]:
                if part["k"][entry[0]][0] == kind and entry[1] == "=" + name:
                    link.close()
                    return entry
            if part["e"]:
                link.say({"ack": {"has": {part["h"][0]: part["t"]} if "t" in part else part["v"], "whole_cursor": part.get("n", "")}})

    def test_of_records_are_not_undone(self):
        name = self.make(self.desk, "tasks", id=unique("gone"), title="deleted")["id"]
        self.remove(self.desk, "tasks", name)
        record, more = self.overruling(name, "task", {"deleted_at": None, "title": "undead"})
        self.tells(record, **more)
        self.read(self.desk, "tasks", name, 410)
        record, more = self.overruling(name, "task", {"deleted_at": GREATEST, "title": "undead"})
        self.tells(record, **more)
        self.read(self.desk, "tasks", name, 410)
        self.works_on()
        self.converged(self.desk, self.good)

    def test_of_agents_are_not_undone(self):
        agent = self.agent(self.desk)
        self.assertIn(self.desk.request("DELETE", f"/v1/agents/{agent}").status, (200, 204))
        shown = lambda: json_of(self.desk.get(f"/v1/agents/{agent}"))
        self.assertEqual(shown()["lifecycle"], "destroyed")
        record, more = self.overruling(agent, "agent_state", {"lifecycle": "active", "destroyed_at": None})
        self.tells(record, **more)
        self.assertEqual(shown()["lifecycle"], "destroyed")
        self.works_on()
        self.converged(self.desk, self.good)
        self.assertEqual(json_of(self.good.get(f"/v1/agents/{agent}"))["lifecycle"], "destroyed")

    def test_made_up_versions_leave_a_record_that_can_be_changed_and_told(self):
        for version, title in ((GREATEST, "low"), (GREATEST - 1, "low"), (1 << 61, "high")):
            with self.subTest(version):
                name = self.make(self.desk, "tasks", id=unique("high"), title="low")["id"]
                record, more = self.overruling(name, "task", {"title": "high"}, version)
                self.tells(record, **more)
                self.assertEqual(self.read(self.desk, "tasks", name)["title"], title)
                for number in range(3):
                    self.change(self.desk, "tasks", name, title=f"higher {number}")
                self.works_on()
                self.converged(self.desk, self.good)

    def test_a_clock_of_many_hosts_leaves_a_record_that_all_can_change(self):
        for count, title in ((40, "theirs"), (63, "mine")):
            with self.subTest(count):
                name = self.make(self.desk, "tasks", id=unique("full"), title="mine")["id"]
                theirs = self.told(name, "task")
                counter = self.known() + 1
                clock = [0, counter] + [part for number in range(1, count + 1) for part in (number, 7)]
                self.tells([0, theirs[1], [1, 0], {**theirs[3], "title": "theirs"}, clock, [[1 << 40, 0, counter]]],
                           hosts=[f"h{number:02}.1" for number in range(count)])
                self.assertEqual(self.read(self.desk, "tasks", name)["title"], title)
                self.change(self.desk, "tasks", name, title="changed after that")
                self.works_on()
                self.converged(self.desk, self.good)
                self.change(self.good, "tasks", name, title="changed on the other side")
                self.converged(self.desk, self.good)

    def test_two_that_fit_and_would_be_too_large_together_are_not_put_together(self):
        name, counter = "=" + unique("large"), self.known()
        self.tells([0, name, [1, 0], self.body(title="t" * 3 * MIB), 0, [[1, 0, counter + 1]]])
        self.tells([0, name, [1, 0], self.body(title="short", text="t" * 3 * MIB), 0, [[0, 0, "title"], [2, 0, counter + 2]]])
        shown = self.read(self.desk, "tasks", name[1:])
        self.assertEqual((len(shown["title"]), shown["text"] or ""), (3 * MIB, ""))
        self.works_on()
        self.converged(self.desk, self.good)


class Pairing(HostileCase):
    def word(self, *words):
        """What is said at the desk of pairing, and the answer."""
        link = self.call(self.stranger, path="/v1/pair")
        for word in words:
            link.say(word)
        return link.hear()

    def test_without_a_code_there_is_none(self):
        with self.unharmed():
            self.assertEqual(self.word({"proof": "x"}), {"refused": "no_pairing"})

    def test_a_wrong_proof_counts_and_the_third_ends_the_code(self):
        peers = len(self.desk.status()["peers"])
        code = self.desk.run("peer", "pair").out.strip()
        for word in ({"name": "me first"}, "no json", {"proof": 7}, {"proof": "x", "name": "y"}, {}, [], {"proof": "x" * 5000}):
            self.assertIn(self.word(word), ({"refused": "malformed"}, None), word)
        for proof in ("", "A" * 44, base64.b64encode(os.urandom(32)).decode()):
            self.assertEqual(self.word({"proof": proof}, {"name": "evil"}), {"refused": "wrong_code"})
        self.assertEqual(self.word({"proof": "x"}), {"refused": "no_pairing"})
        honest = self.device("honest", listen=None)
        typed = honest.run("peer", "pair", code, "--at", self.desk.address)
        self.assertNotEqual(typed.code, 0)
        self.assertIn("expired, was used or was tried too often", typed.err)
        self.assertEqual(len(self.desk.status()["peers"]), peers)
        self.works_on()


@unittest.skipIf(belfry.is_sanitized(), "a sanitizer wants to be loaded first")
class Time(HostileCase):
    def test_runs_out_for_one_who_never_says_hello(self):
        with self.unharmed():
            link = self.call()
            self.assertIn("hello", link.hear())
            self.desk.faults.jump(steady_s=61)
            self.assertIsNone(link.hear())
            eventually("the status says why", lambda: "has said nothing for too long" in self.last_error())

    def test_runs_out_for_a_code_that_nobody_typed(self):
        shown = self.desk.run("peer", "pair")
        self.assertEqual(shown.code, 0, shown.err)
        code = shown.out.strip()
        self.desk.faults.jump(steady_s=601)
        late = self.device("late", listen=None)
        typed = late.run("peer", "pair", code, "--at", self.desk.address)
        self.assertNotEqual(typed.code, 0)
        self.assertIn("expired", typed.err)
        self.works_on()


class Crowding(HostileCase):
    """Names of hosts by the hundred: there is an end to them, and what was known before has its place."""

    @classmethod
    def setUpClass(cls):
        cls.furnish(make_world(cls.addClassCleanup))

    def links_anew(self):
        """The good one can still begin a link, as after a night."""
        self.good.stop()
        eventually("it is gone", lambda: not self.desk.is_connected("good"))
        self.good.start()
        eventually(f"it is back: {self.desk.peer('good')} {self.good.status()['peers']}", lambda: self.desk.is_connected("good"), 30)
        self.works_on()
        self.assertIn(self.desk.status()["device"]["host"], self.desk.digest()["has"])

    def test_of_seals_leaves_room_for_the_devices_own(self):
        codes = []
        for number in range(4):
            link = self.up(hosts=[self.key.seal(self.host)] + [self.key.seal(f"!{number}.{one}") for one in range(40)])
            link.say({"ping": {}})
            link.say(self.greeting(name="so that it ends"))
            codes.append(link.hear_of("refused")["code"])
        self.assertEqual(codes[1:], ["too_many"] * 3)
        self.links_anew()

    def test_of_pages_leaves_room_for_what_is_known(self):
        codes = []
        for number in range(4):
            link = self.up()
            link.say({"page": {"h": [], "k": [], "c": "", "n": "", "v": {f"!{number}.{one}": 1 for one in range(40)}, "e": []}})
            link.say(self.greeting(name="so that it ends"))
            codes.append(link.hear_of("refused")["code"])
        self.assertEqual(codes[1:], ["too_many"] * 3)
        self.links_anew()

    def test_of_erasures_does_no_harm(self):
        for number in range(3):
            clock = {f"!{number}.{one:03}": 1 for one in range(60)}
            link = self.up()
            link.say(self.frame([0, "=nobody", [1, 0], {"clock": clock}], kinds=[("erasure", "nobody")]))
            link.say({"ping": {}})
            link.say(self.greeting(name="so that it ends"))
            self.assertEqual(link.hear_of("refused")["code"], "unexpected")
        self.links_anew()


class Listeners(SyncCase):
    """The desk calls, and somebody else answers."""

    def test_with_another_key_than_the_paired_one_learn_nothing(self):
        desk, other = self.device("desk", listen=None), self.device("other")
        self.pair(other, desk)
        other.stop()
        stranger = Key(other.folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(stranger.certificate, stranger.path)
        context.verify_mode = ssl.CERT_NONE
        with socket.create_server(("127.0.0.1", other.sync_port)) as listener:
            listener.settimeout(PATIENCE)
            plain, _ = listener.accept()
            with plain, self.assertRaises((OSError, ssl.SSLError)):
                plain.settimeout(PATIENCE)
                with context.wrap_socket(plain, server_side=True) as link:
                    if not link.recv(1 << 16):
                        raise ConnectionResetError("it has hung up")
            eventually("the status says why", lambda: "another device answers than the paired one" in (desk.peer("other")["last_error"] or ""))
        other.start()
        self.linked(desk, other)


if __name__ == "__main__":
    unittest.main()
