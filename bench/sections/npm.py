"""The npm packages that are peers or count tokens, in a folder of the build."""
import subprocess

TOON = "@toon-format/toon@4.4.0"
TOKENIZER = "gpt-tokenizer@3"


def folder(bench):
    """With both of them in it; they are fetched once."""
    place = bench.programs / "npm"
    if all((place / "node_modules" / name.rpartition("@")[0]).is_dir() for name in (TOON, TOKENIZER)):
        return place
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--silent", TOON, TOKENIZER],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"npm cannot install {TOON} and {TOKENIZER}: {done.stderr.strip()}")
    return place
