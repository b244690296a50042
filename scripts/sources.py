"""Names for states of the sources. Results of checks are kept under such a name, so that a later call knows what it may pass over."""
import hashlib
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ["cmake", "CMakeLists.txt", "CMakePresets.json"]
PRODUCT = ["src", "web", "clients", "subscribers", "demo", "docs/agent_tools", *BUILD]
UNIT_TESTS = [":(exclude)src/*_test.cpp", ":(exclude)src/*_test.hpp", ":(exclude)src/*/test_*"]  # pathspecs that leave unit tests out
BINARY = [":(exclude)src/sim", *UNIT_TESTS]  # the simulator is no part of the binary, either
TESTS = ["tests", "examples", "scripts/setup"]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def code_id(paths):
    """A name for the files below `paths` as they are in the working tree. Files that git does not know do not count. A page of
    Markdown counts only if `paths` names it by itself."""
    digest = hashlib.sha256()
    for name in sorted(filter(None, git("ls-files", "-z", "--", *paths).split("\0"))):
        path = ROOT / name
        if path.is_file() and (path.suffix != ".md" or name in paths):
            digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
