"""Puts many tasks into the store of a daemon that is down, with all that it would have written for them."""
import array
import contextlib
import random
import sqlite3

CATEGORIES = ["general", "gym", "home", "work"]
STATUSES = ["open", "groomed", "in_progress", "blocked", "on_hold", "done", "rejected"]
CLOSED = ("done", "rejected")
# In one of how many tasks each is. Of the rare words there are more and more: ten with each thousand tasks.
COMMON = {"milk": 3, "bread": 4, "mild": 5, "coffee": 6, "paper": 7}
RARE_EACH = 100
SLICE = 50_000


def shape(number):
    """What the task of this number is: the same whenever it is asked for."""
    dice = random.Random(number)
    words = [word for word, every in COMMON.items() if dice.randrange(every) == 0]
    words += [f"rare{dice.randrange(number // RARE_EACH + 10)}", f"task{number % 100}"]
    dice.shuffle(words)
    return {"id": f"task-{number:012d}", "title": " ".join(words), "category_id": CATEGORIES[dice.randrange(len(CATEGORIES))],
            "status": STATUSES[dice.randrange(len(STATUSES))], "due_date": f"2027-{dice.randrange(12) + 1:02d}-{dice.randrange(28) + 1:02d}"}


def terms_of(task):
    terms = ["k:task", "k:task@" + task["category_id"], "c:" + task["category_id"], "s:task:" + task["status"]]
    if task["status"] not in CLOSED:
        terms.append("d:" + task["due_date"])
    return terms + ["w:" + word for word in task["title"].split()]


def store_of(server):
    return sqlite3.connect(server.data / "belfry.db", timeout=60)


def numbered_terms(store, number):
    return sorted(row[0].decode() for row in store.execute("SELECT term FROM journal_terms WHERE number = ?", (number,)))


def fill(server, person, count):
    """The first tasks are made over HTTP, so that the others can be made like them; the daemon is down meanwhile."""
    for category in CATEGORIES:
        if category != "general":
            person.ask("POST", "/v1/journal/categories", {"id": category, "name": category})
    samples = [person.ask("POST", "/v1/journal/tasks", shape(number)) for number in range(1, 8)]
    server.stop()
    with contextlib.closing(store_of(server)) as store:
        for sample in samples:
            kept = store.execute("SELECT number FROM journal_directory WHERE id = ?", (sample["id"].encode(),)).fetchone()[0]
            task = {name: sample[name] for name in ("title", "category_id", "status", "due_date")}
            if numbered_terms(store, kept) != sorted(terms_of(task)):
                raise RuntimeError(f"the daemon finds {task} by {numbered_terms(store, kept)}")
        store.execute("PRAGMA synchronous = OFF")
        store.execute("PRAGMA cache_size = -200000")
        insert(store, len(samples) + 1, count)
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    server.start()


def model_row(store, table, key):
    names = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
    return dict(zip(names, store.execute(f"SELECT * FROM {table} WHERE id = ?", (key,)).fetchone()))


def insert(store, first, count):
    """Tasks from this one up to so many, in the order in which their rows lie."""
    key = shape(1)["id"].encode()
    task_row = model_row(store, "journal_tasks", key)
    place_row = model_row(store, "journal_directory", key)
    numbers = store.execute("SELECT max(number) FROM journal_directory").fetchone()[0] - first + 1
    by_term = {}

    def rows():
        for number in range(first, count + 1):
            task = shape(number)
            for term in terms_of(task):
                by_term.setdefault(term, array.array("q")).append(number * len(CATEGORIES) + CATEGORIES.index(task["category_id"]))
            yield number + numbers, task

    def both():
        for number, task in rows():
            category = task["category_id"].encode()
            own = {"number": number, "id": task["id"].encode(), "category_id": category}
            yield ({**task_row, **own, "title": task["title"].encode(), "status": STATUSES.index(task["status"]),
                    "due_date": task["due_date"].encode()}, {**place_row, **own})

    def flush(slice_):
        for table, at in (("journal_tasks", 0), ("journal_directory", 1)):
            places = ",".join("?" * len(slice_[0][at]))
            store.executemany(f"INSERT INTO {table} VALUES ({places})", [tuple(row[at].values()) for row in slice_])

    with store:
        slice_ = []
        for one in both():
            slice_.append(one)
            if len(slice_) == SLICE:
                flush(slice_)
                slice_ = []
        if slice_:
            flush(slice_)
    kind, user = place_row["kind"], place_row["user_id"]
    categories = [category.encode() for category in CATEGORIES]
    with store:
        for term in sorted(by_term):
            store.executemany("INSERT INTO journal_terms (user_id, term, number, kind, category_id) VALUES (?, ?, ?, ?, ?)",
                              ((user, term.encode(), packed // len(CATEGORIES) + numbers, kind, categories[packed % len(CATEGORIES)])
                               for packed in by_term[term]))
