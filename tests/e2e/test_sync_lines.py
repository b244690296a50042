"""Devices on bad lines: cut, slow, silent, with bytes lost, doubled, swapped and changed on the way, in namespaces of their own, with clocks
that are hours off. Whatever the line does, they end with the same, byte for byte."""

import json
import random
import unittest

import belfry
from belfry import eventually, json_of, unique
from devices import Network, SyncCase
from sync_proxy import Fate, can_have_namespaces

HOUR = 3600.0


class LineCase(SyncCase):
    def paired_through(self, proxy_of, shows, types):
        """Paired through a proxy, so that whoever typed the code calls through it for ever after."""
        proxy = proxy_of(shows)
        self.pair(shows, types, at=proxy.address)
        return proxy

    def through_proxy(self, *names, seed=1, **more):
        shows, types = [self.device(name, **more) for name in names]
        return shows, types, self.paired_through(lambda one: self.proxy(one.address, seed=seed), shows, types)

    def work(self, chance, devices, count, tasks, agents):
        """Writes of many kinds, each on some device; what is refused because another has deleted it, is."""
        for _ in range(count):
            device = chance.choice(devices)
            kind = chance.choice(("new", "title", "status", "delete", "link", "slot", "say", "label"))
            if kind == "new" or not tasks:
                tasks.append(self.make(device, "tasks", title=unique("t"))["id"])
            elif kind in ("title", "status", "delete"):
                name = chance.choice(tasks)
                wish = {"title": unique("t")} if kind == "title" else {"status": chance.choice(("open", "in_progress", "done"))}
                if kind == "delete" and chance.random() < 0.5:
                    self.ask(device, "DELETE", f"/tasks/{name}")
                else:
                    self.ask(device, "PATCH", f"/tasks/{name}", wish)
            elif kind == "link":
                method = chance.choice(("PUT", "PUT", "DELETE"))
                self.ask(device, method, f"/links/next/{chance.choice(tasks)}/{chance.choice(tasks)}", {} if method == "PUT" else None)
            elif kind == "slot":
                slots = {"primary_goal": unique("goal"), "preferences": {chance.choice("abc"): unique("p")}}
                device.request("PATCH", f"/v1/agents/{chance.choice(agents)}", {"state": {"slots": slots}})
            elif kind == "label":
                self.ask(device, "POST", "/labels", {"name": unique("l")})
            else:
                self.speak(device, chance.choice(agents), unique("said "))

    def speak(self, device, agent, *texts):
        self.assertIn(device.post(f"/v1/agents/{agent}/wake", {}).status, (200, 201, 404))
        grant = self.claim(device, agent, wait_s=5)
        if grant is None:
            return
        wake = grant["wake"]
        device.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"], "messages": [
            {"kind": "thought", "content": {"text": text}} for text in texts]})
        device.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"]})


class BadLines(LineCase):
    def test_that_are_cut_again_and_again_lose_nothing(self):
        desk, laptop, proxy = self.through_proxy("desk", "laptop")
        agents = [self.agent(desk) for _ in range(3)]
        self.converged(desk, laptop)
        chance, tasks = random.Random(7), []
        for _ in range(6):
            self.work(chance, (desk, laptop), 10, tasks, agents)
            proxy.break_lines()
        proxy.cut()
        self.work(chance, (desk, laptop), 20, tasks, agents)
        eventually("both have noticed", lambda: not desk.is_connected("laptop") and not laptop.is_connected("desk"))
        proxy.heal()
        self.converged(desk, laptop)
        self.assertGreater(proxy.connections, 2)

    def test_that_lose_double_swap_and_change_bytes_harm_nothing(self):
        for seed in (1, 2):
            with self.subTest(seed=seed):
                desk, laptop, proxy = self.through_proxy("desk", "laptop", seed=seed)
                agents = [self.agent(desk) for _ in range(3)]
                self.converged(desk, laptop)
                proxy.spoil(share=1.0, most=20_000)
                proxy.break_lines()
                chance, tasks = random.Random(seed), []
                for number in range(1, 5):
                    while proxy.broken < number:
                        self.work(chance, (desk, laptop), 4, tasks, agents)
                proxy.heal()
                proxy.break_lines()
                self.converged(desk, laptop)

    def test_that_change_a_single_byte_end_the_link_and_are_called_again(self):
        desk, laptop, proxy = self.through_proxy("desk", "laptop")
        self.converged(desk, laptop)
        for fault in ("flip", "lose", "double", "swap"):
            with self.subTest(fault):
                proxy.fates = lambda fault=fault: (Fate(fault, 3000), Fate())
                proxy.break_lines()
                before = proxy.broken
                for _ in range(200):
                    self.make(laptop, "tasks", title=unique("t") * 20)
                    if proxy.broken > before:
                        break
                eventually("it happened", lambda: proxy.broken > before)
                proxy.heal()
                self.make(laptop, "tasks", title="after it")
                self.converged(desk, laptop)
        self.assertNotIn("bad_signature", desk.log(), "a bad line is no bad device")

    def test_that_are_slow_slow_down_nobody_but_themselves(self):
        desk, laptop, proxy = self.through_proxy("desk", "laptop")
        near = self.device("near")
        self.pair(desk, near)
        self.converged(desk, laptop, near)
        proxy.delay_s, proxy.rate = 0.3, 20_000
        before = proxy.connections
        names = [self.make(desk, "tasks", title=unique("t") * 10)["id"] for _ in range(150)]
        self.converged(desk, near)
        self.assertEqual(self.read(near, "tasks", names[-1])["id"], names[-1])
        self.converged(desk, laptop, near, patience=180)
        self.assertEqual(proxy.connections, before, "slow is not broken")

    def test_that_are_silent_are_given_up_after_a_minute_and_called_anew(self):
        if belfry.is_sanitized():
            self.skipTest("it takes its time")
        desk, laptop, proxy = self.through_proxy("desk", "laptop")
        self.converged(desk, laptop)
        proxy.hold()
        self.make(desk, "tasks", title="into silence")
        eventually("the link counts as dead", lambda: not laptop.is_connected("desk") or not desk.is_connected("laptop"), patience=120)
        proxy.heal()
        proxy.break_lines()
        self.converged(desk, laptop, patience=150)


class Cost(LineCase):
    def cost_of_one(self, desk, laptop, proxy, agent):
        """Bytes on the line for one more message, when all else is still; the least of some, because pings go by."""
        found = []
        for _ in range(5):
            self.converged(desk, laptop)
            with proxy.counted() as bytes_passed:
                self.speak(desk, agent, "one more")
                self.converged(desk, laptop)
            found.append(bytes_passed[0])
        return min(found)

    def test_of_a_message_does_not_depend_on_how_many_there_were(self):
        desk, laptop, proxy = self.through_proxy("desk", "laptop")
        agent = self.agent(desk)
        self.speak(desk, agent, *(f"message {number}" for number in range(10)))
        short = self.cost_of_one(desk, laptop, proxy, agent)
        for _ in range(40):
            self.speak(desk, agent, *(f"{unique('m')} of a long history" for _ in range(50)))
        long = self.cost_of_one(desk, laptop, proxy, agent)
        self.assertGreater(short, 100)
        self.assertLess(long, short * 1.25 + 200, f"{short} bytes with 10 messages, {long} with 2,000")

    def test_of_days_offline_is_about_that_of_what_is_new(self):
        desk, laptop, proxy = self.through_proxy("desk", "laptop")
        agent = self.agent(desk)
        self.converged(desk, laptop)
        proxy.cut()
        chance = random.Random(5)
        size = 0
        for _ in range(60):
            texts = ["".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(400)) for _ in range(50)]
            self.speak(desk, agent, *texts)
        size = sum(len(json.dumps(one, separators=(",", ":"))) for one in self.messages(desk, agent))
        with proxy.counted() as passed:
            proxy.heal()
            self.converged(desk, laptop, patience=180)
        self.assertLess(passed[0], size * 1.1, f"{passed[0]} bytes for {size} bytes of new messages")


class Clocks(LineCase):
    def test_that_are_hours_off_decide_nothing(self):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")
        late, early = self.device("late", clock_s=-7 * HOUR), self.device("early", clock_s=5 * HOUR)
        self.pair(early, late)
        task = self.make(early, "tasks", title="written at noon")["id"]
        self.converged(late, early)
        for number in range(3):
            for device in (late, early):
                title = f"{device.name} {number}"
                self.change(device, "tasks", task, title=title)
                self.converged(late, early)
                self.assertEqual({self.read(one, "tasks", task)["title"] for one in (late, early)}, {title},
                                 "whoever has seen the other's wins, whatever his clock says")
        self.remove(late, "tasks", task)
        self.converged(late, early)
        for one in (late, early):
            self.read(one, "tasks", task, 410)

    def test_that_jump_while_devices_talk_change_nothing(self):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")
        desk, laptop, proxy = self.through_proxy("desk", "laptop", clock_s=0.0)
        agents = [self.agent(desk) for _ in range(2)]
        self.converged(desk, laptop)
        chance, tasks = random.Random(3), []
        for jump in (9 * HOUR, -20 * HOUR, 30 * HOUR, -19 * HOUR):
            chance.choice((desk, laptop)).faults.jump(wall_s=jump)
            self.work(chance, (desk, laptop), 10, tasks, agents)
            proxy.break_lines()
        self.converged(desk, laptop)


@unittest.skipIf(can_have_namespaces(), can_have_namespaces() or "")
class Namespaces(LineCase):
    """Each device in a network of its own: a proxy in the middle is all that they can reach."""

    def network(self, *names, **more):
        network = Network(*names)
        self.addCleanup(network.close)
        devices = [self.device(name, namespace=network.space(name), listen=network.own(name), **more) for name in names]
        return network, devices

    def through_the_middle(self, network, shows, types, seed=1):
        """`types` calls the middle, on its own cable; the middle calls `shows`, on the other."""
        return self.paired_through(lambda one: self.proxy(one.address, listen=network.gate(types.name), near=network.middle,
                                                          far=network.middle, seed=seed), shows, types)

    def test_are_really_apart(self):
        network, (desk, laptop) = self.network("desk", "laptop")
        code = desk.run("peer", "pair").out.strip()
        refused = laptop.post("/v1/peers", {"code": code, "at": desk.address})
        self.assertEqual(refused.status, 503, "there is no way but through the middle")
        self.through_the_middle(network, desk, laptop)
        self.make(desk, "tasks", title="through the middle")
        self.converged(desk, laptop)

    def test_three_devices_on_bad_lines_with_wrong_clocks_end_alike(self):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")
        network, (relay, desk, laptop) = self.network("relay", "desk", "laptop", clock_s=0.0)
        desk.faults.jump(wall_s=6 * HOUR)
        laptop.faults.jump(wall_s=-11 * HOUR)
        proxies = [self.through_the_middle(network, relay, one, seed) for seed, one in enumerate((desk, laptop), 1)]
        devices = (relay, desk, laptop)
        agents = [self.agent(one) for one in devices]
        self.converged(*devices)
        chance, tasks = random.Random(11), []
        for proxy in proxies:
            proxy.spoil(share=0.6)
            proxy.delay_s = 0.02
            proxy.break_lines()
        for round_number in range(5):
            self.work(chance, devices, 12, tasks, agents)
            if round_number == 2:
                laptop.kill()
                self.work(chance, (relay, desk), 10, tasks, agents)
                laptop.start()
            chance.choice(proxies).break_lines()
        for proxy in proxies:
            proxy.heal()
            proxy.break_lines()
        self.converged(*devices, patience=180)
        eventually("nothing is behind", lambda: all(one["unsent"] == one["unreceived"] == 0 for device in devices
                                                    for one in device.status()["peers"]))
        self.assertEqual([one.status()["missing"] for one in devices], [[], [], []])

    def test_a_pulled_cable_is_noticed_and_what_was_said_meanwhile_comes_after(self):
        network, (desk, laptop) = self.network("desk", "laptop")
        self.through_the_middle(network, desk, laptop)
        self.converged(desk, laptop)
        network.pull("laptop")
        here = self.make(desk, "tasks", title="said meanwhile")["id"]
        there = self.make(laptop, "tasks", title="said alone")["id"]
        eventually("it is noticed", lambda: not laptop.is_connected("desk"), patience=120)
        self.assertEqual(self.ask(laptop, "GET", f"/tasks/{here}").status, 404)
        network.pull("laptop", out=False)
        self.converged(desk, laptop, patience=150)
        self.assertEqual(self.read(desk, "tasks", there)["title"], "said alone")


if __name__ == "__main__":
    unittest.main()
