"""Messages as agents have them, made up: words of a language that does not exist, as often as words of one that does."""
import datetime
import itertools
import json
import random
import uuid

BATCH = 500   # messages of one request
THREAD = 40   # messages of one thread; fewer than are folded
SYLLABLES = [a + b for a in "bdfgklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "ost", "ung")]
TEXT = 4 << 20  # characters that texts are cut out of: far more than deflate looks back
APART = datetime.timedelta(microseconds=50)

# Nothing is folded while this is measured: a summary would be one more record.
MEMORY = {"budget_tokens": 1_000_000, "hot_tokens": 900_000, "hot_messages": 200}
LENGTHS = {"usual": (200, 600), "short": (5, 20)}  # characters of a text, each length as often


class History:
    """The same seed makes the same messages."""

    def __init__(self, seed, lengths="usual"):
        self.random = random.Random(seed)
        self.lengths = LENGTHS[lengths]
        self.text = self._words()
        self.at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=2)

    def _words(self):
        words = ["".join(self.random.choices(SYLLABLES, k=self.random.choice((1, 2, 2, 3, 4)))) for _ in range(4000)]
        often = list(itertools.accumulate(1 / (place + 3) for place in range(len(words))))
        text = " ".join(self.random.choices(words, cum_weights=often, k=TEXT // 5))
        return text[:TEXT]

    def content(self):
        length = self.random.randint(*self.lengths)
        begin = self.random.randrange(len(self.text) - length)
        return {"text": self.text[begin:begin + length].strip() or "so"}

    def identity(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def message(self, agent, number):
        """A line as `POST /v1/agents/import` takes it, and its id."""
        self.at += APART
        name, content = self.identity(), self.content()
        line = json.dumps({"message": {
            "id": name, "agent_id": agent, "thread_id": f"{agent}:run:{number // THREAD}", "kind": "thought",
            "created_at": self.at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "tokens_approx": len(content["text"]) // 4 + 1, "content": content}})
        return line + "\n", name
