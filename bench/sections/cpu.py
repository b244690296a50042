"""Who used the processors during a measurement: the server, the load program, or somebody else."""
import os
import pathlib
import resource
import time

TICKS = os.sysconf("SC_CLK_TCK")


def _machine_busy_s():
    fields = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))
    return (sum(fields) - fields[3] - fields[4]) / TICKS  # all but idle and waiting for the disk


def _tree_s(pid):
    """Of a process and its living children: PostgreSQL and nginx work in children."""
    try:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, words[11:15])) / TICKS + sum(map(_tree_s, children))


def _programs_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Accounting:
    """From its construction until `cores` is asked for."""

    def __init__(self, pid):
        self.pid = pid
        self.begin = self._now()

    def _now(self):
        return time.monotonic(), _machine_busy_s(), _tree_s(self.pid), _programs_s()

    def cores(self):
        """Cores in use on average, by the server and by neither it nor the program (kernel threads, other people)."""
        wall, machine, server, programs = (now - then for now, then in zip(self._now(), self.begin))
        return {"server_cores": round(server / wall, 2), "other_cores": round((machine - server - programs) / wall, 2)}


def await_quiet(seconds_max):
    """Waits until the machine has been idle for half a second; says whether it became so."""
    end = time.monotonic() + seconds_max
    while True:
        before, begin = _machine_busy_s(), time.monotonic()
        time.sleep(0.5)
        if (_machine_busy_s() - before) / (time.monotonic() - begin) < 0.1:
            return True
        if time.monotonic() > end:
            return False
