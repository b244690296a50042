"""`belfry work` and `belfry wake on`: commands as workers, killed and stopped at any moment, once."""

import json
import signal
import unittest

import belfry
from agents import AgentCase, Worker, instant
from belfry import eventually, json_of, unique

# Says which wake it works at, and goes on when it may.
HELD = """
    echo "$BELFRY_RUN_KEY $BELFRY_FENCE $$" >> begun
    until [ -e go ]; do sleep 0.02; done
    echo "$BELFRY_RUN_KEY" >> done
"""


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ended before the file was opened, or before it was read
        return False


class TheThinPath(AgentCase):
    def test_an_event_runs_a_script_once_with_the_event_on_standard_input(self):
        with self.daemon() as daemon:
            self.assertEqual(daemon.run("agent", "create", "fixer").code, 0)
            worker = Worker(daemon, ["wake", "on", "ci.*", "--agent", "fixer", "--immediate"], """
                cat > context
                env | grep ^BELFRY_ | sort > variables
                echo "fixing"
                echo '{"fixed":true}'
                echo done >> done
            """)
            self.addCleanup(worker.end)
            eventually("the subscription is there", lambda: json_of(daemon.get("/v1/agents/fixer/subscriptions"))["data"])
            self.assertEqual(daemon.run("emit", "ci.failed", "--payload", '{"branch":"main"}').code, 0)
            worker.wait_for("done")
            wake = self.wake(daemon, self.wakes(daemon, "fixer")[0]["id"], wait_s=30)
            self.assertEqual((wake["state"], wake["reason"], wake["attempts"], wake["signals"]), ("completed", "subscription", 1, 1))
            with open(worker.file("context"), encoding="utf-8") as file:
                context = json.load(file)
            self.assertEqual((context["wake"]["run_key"], context["agent"]["id"]), (wake["run_key"], "fixer"))
            self.assertEqual([one["body"]["payload"] for one in context["signals"]], [{"branch": "main"}])
            variables = dict(line.split("=", 1) for line in worker.lines("variables"))
            self.assertEqual((variables["BELFRY_WAKE_ID"], variables["BELFRY_RUN_ID"], variables["BELFRY_RUN_KEY"]),
                             (str(wake["id"]), str(wake["run_id"]), wake["run_key"]))
            self.assertEqual((variables["BELFRY_AGENT"], variables["BELFRY_REASON"], variables["BELFRY_EVENT_TYPE"]),
                             ("fixer", "subscription", "ci.failed"))
            self.assertEqual((variables["BELFRY_FENCE"], "BELFRY_URL" in variables), ("1", True))
            run = json_of(daemon.get(f"/v1/runs/{wake['run_id']}"))
            self.assertEqual((run["state"], run["result"], run["agent_id"]), ("completed", {"fixed": True}, "fixer"))
            written = [one["data"]["text"] for one in self.run_events(daemon, wake["run_id"]) if one["event"] == "worker.output"]
            self.assertEqual("".join(written), 'fixing\n{"fixed":true}\n')
            self.assertIn("fixing\n", worker.said())
            self.assertEqual(worker.lines("done"), ["done"])
            self.assertEqual(worker.end(signal.SIGINT), 0, worker.said())


class ACommand(AgentCase):
    def test_that_fails_says_why_and_is_tried_again_under_the_same_key(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, """
                echo "$BELFRY_RUN_KEY" >> keys
                if [ ! -e once ]; then touch once; echo "no network" >&2; exit 3; fi
            """)
            made = self.wake_now(daemon, agent)
            worker.wait_for("keys")
            failed = eventually("it has failed", lambda: self.failures(daemon, made["id"]))[0]
            self.assertEqual((failed["error"], failed["state"]), ({"type": "exit_3", "message": "no network"}, "queued"))
            ended = self.wake(daemon, made["id"], 60)
            self.assertEqual((ended["state"], ended["attempts"]), ("completed", 2))
            self.assertEqual(worker.lines("keys"), [made["run_key"]] * 2)

    def test_is_ended_when_its_wake_is_cancelled(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, """
                trap 'echo ended >> ended; exit 1' TERM
                echo $$ >> begun
                while true; do sleep 0.02; done
            """, "--lease", "3s")
            made = self.wake_now(daemon, agent)
            pid = worker.wait_for("begun")[0]
            daemon.post(f"/v1/wakes/{made['id']}/cancel", {})
            worker.wait_for("ended")
            eventually("it is gone", lambda: not is_alive(pid))
            self.assertIsNone(worker.process.poll(), "the worker goes on")
            self.assertEqual(self.wake(daemon, made["id"])["state"], "cancelled")

    def test_is_ended_by_ctrl_c_and_its_wake_given_back(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, HELD)
            made = self.wake_now(daemon, agent)
            pid = worker.wait_for("begun")[0].split()[2]
            self.assertEqual(worker.end(signal.SIGINT), 0, worker.said())
            self.assertFalse(is_alive(pid))
            wake = self.wake(daemon, made["id"])
            self.assertEqual((wake["state"], wake["error"], wake["attempts"]), ("queued", None, 0))
            self.assertIn("given back", worker.said())

    def test_that_is_ended_leaves_nobody_behind(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, """
                (trap '' TERM; echo $BASHPID >> child; while true; do sleep 0.02; done) &
                trap 'exit 1' TERM
                until [ -e child ]; do sleep 0.02; done
                echo $$ >> begun
                while true; do sleep 0.02; done
            """)
            self.wake_now(daemon, agent)
            worker.wait_for("begun")
            child = worker.wait_for("child")[0]
            self.assertEqual(worker.end(signal.SIGINT), 0, worker.said())
            eventually("its child is gone", lambda: not is_alive(child))

    def test_does_not_outlive_its_lease(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, """
                trap '' TERM
                echo $$ >> begun
                while true; do sleep 0.02; echo on; done
            """, "--lease", "6s")
            self.wake_now(daemon, agent)
            pid = worker.wait_for("begun")[0]
            daemon.process.send_signal(signal.SIGSTOP)  # it answers nobody, and breaks no connection
            try:
                eventually("it is gone", lambda: not is_alive(pid), 9)
            finally:
                daemon.process.send_signal(signal.SIGCONT)
            self.assertIn("the claim is lost", worker.said())

    def test_that_is_ended_while_the_daemon_is_away_is_given_back_when_it_is_there_again(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, HELD)
            made = self.wake_now(daemon, agent)
            worker.wait_for("begun")
            daemon.kill()
            worker.process.send_signal(signal.SIGINT)
            eventually("it says so", lambda: "still telling it" in worker.said())
            daemon.start()
            self.assertEqual(worker.process.wait(30), 0, worker.said())
            self.assertEqual(self.wake(daemon, made["id"])["state"], "queued")

    def test_that_does_not_listen_is_ended_by_force(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, """
                trap '' TERM
                echo $$ >> begun
                while true; do sleep 0.02; done
            """)
            self.wake_now(daemon, agent)
            pid = worker.wait_for("begun")[0]
            self.assertEqual(worker.end(signal.SIGTERM), 0, worker.said())
            self.assertFalse(is_alive(pid))

    def test_once_is_its_end(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            for script, code in (("exit 0", 0), ("exit 1", 1)):
                worker = self.work(daemon, agent, script, "--once")
                self.wake_now(daemon, agent, request_id=unique("r"))
                self.assertEqual(worker.process.wait(30), code, worker.said())


class AWorker(AgentCase):
    def test_that_is_killed_takes_its_command_along_and_the_wake_runs_again_once(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            first = self.work(daemon, agent, HELD, "--lease", "1s")
            made = self.wake_now(daemon, agent)
            key, _, pid = first.wait_for("begun")[0].split()
            first.end()
            eventually("its command is gone", lambda: not is_alive(pid))
            second = self.work(daemon, agent, HELD)
            second.touch("go")
            self.assertEqual(second.wait_for("done"), [key])
            ended = self.wake(daemon, made["id"], 30)
            self.assertEqual((ended["state"], ended["run_key"]), ("completed", key))
            self.assertGreaterEqual(ended["attempts"], 2)  # more, where the machine stalled for as long as the lease
            self.assertEqual(ended["fence"], ended["attempts"])
            self.assertEqual((first.lines("done"), second.lines("begun")[-1].split()[:2]), ([], [key, str(ended["fence"])]))

    def test_beside_another_runs_each_wake_once(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            script = 'echo "$BELFRY_WAKE_ID" >> done'
            workers = [self.work(daemon, agent, script) for _ in range(2)]
            made = [self.wake_now(daemon, agent, request_id=f"r{number}")["id"] for number in range(10)]
            for wake in made:
                self.assertEqual(self.wake(daemon, wake, 60)["state"], "completed")
            done = [int(line) for worker in workers for line in worker.lines("done")]
            self.assertEqual(sorted(done), made)

    def test_says_whose_wakes_it_waits_for(self):
        with self.daemon() as daemon:
            agent, other = self.agent(daemon), self.agent(daemon)
            worker = self.work(daemon, agent, "true", "--agent", other)
            eventually("it says so", lambda: f"waits for wakes of {agent}, {other}\n" in worker.said())
            on = Worker(daemon, ["wake", "on", "ci.*", "--agent", agent], "true")
            self.addCleanup(on.end)
            eventually("it says so", lambda: f"waits for wakes of {agent}\n" in on.said())
            quiet = self.work(daemon, agent, "echo heard; touch done", "--quiet", "--once")
            worker.end()
            on.end()
            self.wake_now(daemon, agent)
            self.assertEqual(quiet.process.wait(30), 0)
            self.assertEqual(quiet.said(), "heard\n")

    def test_waits_for_a_daemon_that_is_away(self):
        with self.daemon(start=False) as daemon:
            daemon.start()
            agent = self.agent(daemon)
            daemon.stop()
            worker = self.work(daemon, agent, "echo done >> done")
            eventually("it says so", lambda: "waiting" in worker.said())
            daemon.start()
            self.wake_now(daemon, agent)
            worker.wait_for("done")


class ADaemon(AgentCase):
    def test_that_is_killed_between_signal_and_run_runs_it_once(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            self.subscribe(daemon, agent, "ci.*", window_ms=500)
            self.emit(daemon, "ci.failed")
            daemon.kill()
            daemon.start()
            waiting = self.wakes(daemon, agent)
            self.assertEqual(len(waiting), 1)
            worker = self.work(daemon, agent, 'echo "$BELFRY_RUN_KEY" >> done')
            self.assertEqual(worker.wait_for("done"), [waiting[0]["run_key"]])
            self.assertEqual(self.wake(daemon, waiting[0]["id"], 30)["state"], "completed")
            self.assertEqual((len(self.wakes(daemon, agent)), worker.lines("done")), (1, [waiting[0]["run_key"]]))

    def test_that_is_killed_in_a_window_waits_the_rest_of_it(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            self.subscribe(daemon, agent, "ci.*", window_ms=4000)
            self.emit(daemon, "ci.failed")
            due_at = self.wakes(daemon, agent)[0]["due_at"]
            daemon.kill()
            daemon.start()
            grant = self.claim_soon(daemon, agent)
            self.assertEqual(grant["wake"]["due_at"], due_at)
            self.assertGreaterEqual(instant(grant["wake"]["started_at"]), instant(due_at))

    def test_that_is_killed_in_mid_run_finds_the_worker_at_work(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, HELD)
            made = self.wake_now(daemon, agent)
            key = worker.wait_for("begun")[0].split()[0]
            daemon.kill()
            daemon.start()
            self.assertEqual(self.wake(daemon, made["id"])["state"], "running")
            worker.touch("go")
            ended = self.wake(daemon, made["id"], 60)
            self.assertEqual((ended["state"], ended["attempts"]), ("completed", 1))
            self.assertEqual(worker.lines("done"), [key])

    def test_that_is_killed_before_the_end_is_told_hears_of_it_afterwards(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            worker = self.work(daemon, agent, HELD)
            made = self.wake_now(daemon, agent)
            worker.wait_for("begun")
            daemon.kill()
            worker.touch("go")
            worker.wait_for("done")
            daemon.start()
            self.assertEqual(self.wake(daemon, made["id"], 60)["state"], "completed")
            self.assertEqual(len(worker.lines("begun")), 1)


class Words(AgentCase):
    def test_show_agents_and_wakes_and_take_them_back(self):
        with self.daemon() as daemon:
            def say(*words):
                done = daemon.run(*words)
                self.assertEqual(done.code, 0, done.err)
                return done.out
            say("agent", "create", "coach", "--mode", "autonomous", "--capability", "plan", "--model", "m")
            made = json.loads(say("agent", "show", "coach", "--json"))
            self.assertEqual((made["mode"], made["capabilities"], made["config"]["model_id"]), ("autonomous", ["plan"], "m"))
            subscription = say("wake", "on", "a.b", "a.c", "--agent", "coach", "--window", "5m", "--where", "payload.n > 1").strip()
            self.assertIn("a.b a.c", say("agent", "show", "coach"))
            self.assertEqual(say("wake", "on", "a.b", "a.c", "--agent", "coach", "--window", "5m", "--where", "payload.n > 1").strip(), subscription)
            wake = say("wake", "now", "coach", "--input", '{"n":1}', "--request-id", "r").strip()
            self.assertEqual(say("wake", "now", "coach", "--request-id", "r").strip(), wake)
            self.assertIn("queued", say("wake", "list", "--open", "--agent", "coach"))
            shown = json.loads(say("wake", "show", wake, "--json"))
            self.assertEqual((shown["wake"]["reason"], [one["kind"] for one in shown["signals"]]), ("manual", ["manual"]))
            say("wake", "cancel", wake)
            self.assertEqual(json.loads(say("wake", "list", "--json"))["state"], "cancelled")
            say("agent", "sleep", "coach", "--for", "1h")
            slept = daemon.run("wake", "now", "coach", "--wait")
            self.assertEqual((slept.code, "sleeping" in slept.err), (1, True), slept.err)
            say("agent", "wake-up", "coach")
            say("wake", "off", subscription, "--agent", "coach")
            self.assertEqual(daemon.run("wake", "off", subscription, "--agent", "coach").code, 1)
            say("agent", "destroy", "coach")
            self.assertNotIn("coach", say("agent", "list"))
            self.assertIn("destroyed", say("agent", "list", "--all"))

    def test_refuse_what_is_typed_wrongly(self):
        with self.daemon() as daemon:
            for words in (("agent", "create"), ("agent", "sleep", "x"), ("wake", "on", "a.b"), ("wake", "now"), ("wake", "show", "x"),
                          ("work", "--", "true"), ("work", "--agent", "x"), ("work", "--agent", "x", "--", "/none/such"),
                          ("work", "--agent", "x", "--lease", "1h", "--", "true"), ("work", "--agent", "x", "--lease", "1500ms", "--", "true")):
                self.assertEqual(belfry.run("--data", daemon.data, *words).code, 2, words)
            self.assertEqual(belfry.run("--data", daemon.data, "work", "--agent", "none", "--", "true").code, 1)

    def test_make_no_agent_for_a_rule_that_is_refused(self):
        with self.daemon() as daemon:
            for words in (("a.b", "--where", "payload.n >"), ("not a type",), ("a.b", "--severity", "loud"), ("a.b", "--window", "25h"),
                          ("--changed", "nonsense")):
                refused = daemon.run("wake", "on", *words, "--agent", "coach")
                self.assertEqual(refused.code, 1, refused.err)
                self.assertTrue(refused.err.startswith("belfry: "), refused.err)
                self.assertEqual(daemon.get("/v1/agents/coach").status, 404, words)


if __name__ == "__main__":
    unittest.main()
