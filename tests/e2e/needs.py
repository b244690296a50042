"""Programs and packages that tests need. `scripts/setup test` installs all of them: a test fails without one. With BELFRY_OFFLINE=1 the
test is skipped, and says what is missing."""

import os
import sys
import unittest


def lack(what):
    if os.environ.get("BELFRY_OFFLINE") == "1":
        print(f"SKIPPED: {what} is missing, and BELFRY_OFFLINE=1", file=sys.stderr)
        raise unittest.SkipTest(f"{what} is missing")
    raise AssertionError(f"{what} is missing; run `scripts/setup test`")
