#!/usr/bin/env python3
"""Reads every #include of src/ and fails on a door between rooms that is not in the table. No exceptions."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"

# What each room may include besides itself, base and model.
DOORS = {
    "base": set(),
    "model": set(),
    "rules": set(),
    "text": set(),
    "codec": set(),
    "ports": set(),
    "tools": {"rules", "ports"},
    "engine": {"rules", "text", "ports", "tools"},
    "view": {"rules", "text", "ports"},
    "store": {"ports", "codec"},
    "host": {"ports", "codec"},
    "wire": {"ports", "codec"},
    "net": {"wire", "ports", "codec"},
    "client": {"wire", "codec"},
    "cli": {"client", "codec", "text", "rules", "view", "store", "host"},
    "sim": {"engine", "view", "store", "tools", "rules", "text", "ports", "codec"},
    "daemon": {"*"},
}
# Below the doors: libraries that belong to one room, and the headers by which they are known.
LIBRARIES = {
    r"<boost/": {"wire", "net"},
    r"<openssl/ssl": {"wire", "net"},
    r"<sqlite3\.h>": {"store", "sim"},
    r"<libpq-fe\.h>": {"store"},
    r"<toml\+\+": {"codec"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<][^">]+[">])')
TEST_LIBRARIES = re.compile(r"_test\.(cpp|hpp)$")


def allowed(room: str, other: str, ports_of: set) -> bool:
    return other in {room, "base", "model"} or "*" in ports_of or other in ports_of


def main() -> int:
    wrong = []
    files = sorted(p for p in ROOT.rglob("*") if p.suffix in {".cpp", ".hpp", ".h"})
    includes = 0
    for path in files:
        room = path.relative_to(ROOT).parts[0]
        if room not in DOORS:
            wrong.append(f"{path.relative_to(ROOT)}: there is no room '{room}'")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            includes += 1
            name = found.group(1)
            where = f"src/{path.relative_to(ROOT)}:{number}"
            if name.startswith('"'):
                other = name.strip('"').split("/")[0]
                if other not in DOORS:
                    wrong.append(f"{where}: include a room's header by its room: {name}")
                elif room == "base" and other == "model":
                    wrong.append(f"{where}: base lies under model")
                elif not allowed(room, other, DOORS[room]):
                    wrong.append(f"{where}: {room} has no door to {other}")
            elif not TEST_LIBRARIES.search(path.name):
                for pattern, rooms in LIBRARIES.items():
                    if re.match(pattern, name) and room not in rooms:
                        wrong.append(f"{where}: {name} belongs to {', '.join(sorted(rooms))}")
    for line in wrong:
        print(line)
    print(f"{len(files)} files, {includes} includes, {len(wrong)} wrong doors")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
