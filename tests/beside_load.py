#!/usr/bin/env python3
"""Runs a command beside processes that use the processor all the time, so that waits that are too short show.

    tests/beside_load.py PROCESSES COMMAND…

The exit code is the command's. The processes end with it.
"""
import os
import subprocess
import sys

BUSY = "import os\nwhile os.getppid() == int(os.environ['BELFRY_LOAD_PARENT']):\n    sum(range(100_000))"


def main():
    environment = {**os.environ, "BELFRY_LOAD_PARENT": str(os.getpid())}
    load = [subprocess.Popen([sys.executable, "-c", BUSY], env=environment) for _ in range(int(sys.argv[1]))]
    try:
        return subprocess.run(sys.argv[2:]).returncode
    finally:
        for process in load:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
