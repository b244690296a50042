"""Random templates of the subset that src/text renders, over the names of tests/jinja/data.json."""
import random

NUMBERS = ["i", "neg", "zero", "f", "half", "count", "event.payload.retry_count", "0", "1", "2", "-3", "2.5", "0.1", "1e3", "xs[0]", "d.a", "third",
           "people[0].age", "s|length", "xs|sum", "num|int", "fnum|float", "xs|max", "7 // 2", "-7 % 3", "loop_index"]
TEXTS = ["s", "padded", "uni", "num", "word", "csv", "long", "multi", "quotes", "empty", "'a'", "'Hello'", "'b,c'", "''", "' x '", "'é世'",
         "event.type", "events[0].source", "words[1]", "people[1].name", "notification.id", "xs|join('-')", "'%s:%d'|format('q', i)"]
LISTS = ["xs", "words", "nothing", "nested", "people", "floats", "events", "mixed", "[1, 2]", "['b', 'A', 'c']", "[]", "range(4)|list", "d|list",
         "csv.split(',')", "d.values()|list", "people|map(attribute='name')|list", "xs[1:]", "deep.x.y.z"]
PLAIN_LISTS = ["xs", "words", "floats", "['b', 'A', 'c']", "range(5)|list", "[]", "csv.split(',')", "words|map('lower')|list", "xs|sort"]
DICTS = ["d", "none_dict", "event", "event.payload", "people[0]", "{'k': 1, 'j': 'x'}", "notification", "deep"]
ANY = ["t", "no", "nil", "missing", "d.nope", "true", "none", "(1, 'q')", "v", "w", "{}", "missing|default('dflt')"]
NUMBER_FILTERS = ["abs", "round", "round(1)", "int", "float", "string|length", "round(1, 'floor')", "default(1)"]
TEXT_FILTERS = ["upper", "lower", "title", "trim", "capitalize", "replace('a', 'o')", "truncate(5, true, '.', 0)", "indent(2)", "e", "center(9)",
                "tojson", "string", "reverse", "default('d', true)", "truncate(12)", "replace('l', 'L', 1)", "indent(1, true)", "list|join('.')"]
LIST_FILTERS = ["list", "reverse|list", "map('string')|list", "select|list", "select('string')|list", "reject('none')|list", "batch(2)|list",
                "slice(2)|list", "map('string')|sort", "map('string')|unique|list", "map('default', 'x')|list", "select('defined')|list"]
PLAIN_FILTERS = ["sort", "sort(reverse=true)", "unique|list", "sort(case_sensitive=true)", "map('string')|map('upper')|list", "reject('in', [1, 'fig'])|list"]
PEOPLE = ["people|selectattr('admin')|map(attribute='name')|list", "people|sort(attribute='age,name')|map(attribute='name')|list",
          "people|groupby('city')|map(attribute='grouper')|list", "people|map(attribute='admin', default='?')|list", "people|groupby('age')",
          "people|rejectattr('age', 'gt', 30)|map(attribute='city')|join(',')", "people|sum(attribute='age')", "people|unique(attribute='age')|list|length",
          "events|map(attribute='payload.ms')|map('float')|sort", "events|selectattr('severity', 'eq', 'error')|list|length", "d|dictsort", "d|items|list"]
ERRORS = ["missing.x", "1 + 'a'", "s|round", "xs + 1", "xs|nofilter", "nil.a.b", "1 / 0", "i|list", "xs < 1", "d.a()", "s[1:'a']", "mixed|sort"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "mapping", "sequence", "iterable", "boolean", "true", "false",
         "lower", "upper", "eq 1", "in [1, 'a', none]", "callable", "ne none", "sameas none"]
NUMBER_TESTS = ["odd", "even", "divisibleby 2", "gt 1", "le 3"]
TEXT_METHODS = ["upper()", "strip()", "replace('l', 'L')", "title()", "lower()", "capitalize()", "zfill(5)", "join(['a', 'b'])", "format(1, 2)",
                "rjust(7, '.')", "lstrip()", "swapcase()", "removeprefix('He')"]

class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.macros = []
        self.loops = 0
        self.errors = self.random.choice([0, 0, 0, 0.02])

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, part):
        return self.random.random() < part

    def number(self, depth):
        kind = self.random.randrange(8) if depth > 0 else 0
        if self.loops and self.chance(0.2):
            return "loop." + self.pick(["index", "index0", "length", "revindex", "depth", "revindex0"])
        if kind < 3:
            return self.pick(NUMBERS[:-1])
        if kind == 3:
            return "(%s)|%s" % (self.number(depth - 1), self.pick(NUMBER_FILTERS))
        if kind == 4:
            return "(%s) %s" % (self.number(depth - 1), self.pick(["/ 2", "/ 3", "// 1.5", "// -2", "% 3", "% -2", "** 2", "% 1.5", "* 2"]))
        if kind == 5:
            return "-(%s)" % self.number(depth - 1)
        return "(%s) %s (%s)" % (self.number(depth - 1), self.pick(["+", "-", "*"]), self.number(depth - 1))

    def words(self, depth):
        kind = self.random.randrange(9) if depth > 0 else 0
        if self.loops and self.chance(0.15):
            return "loop.cycle('a', 'b')"
        if kind < 3:
            return self.pick(TEXTS)
        if kind == 3:
            return "(%s)|%s" % (self.words(depth - 1), self.pick(TEXT_FILTERS))
        if kind == 4:
            return "(%s).%s" % (self.words(depth - 1), self.pick(TEXT_METHODS))
        if kind == 5:
            return "(%s)[%s]" % (self.words(depth - 1), self.pick(["0:2", "1:", ":3", "::-1", "-3:", "::2"]))
        if kind == 6:
            return "(%s)|join(%s)" % (self.list(depth - 1), self.pick(["", "', '", "1", "'-'"]))
        return "%s ~ %s" % (self.wrapped(self.any(depth - 1)), self.wrapped(self.any(depth - 1)))

    def list(self, depth):
        kind = self.random.randrange(8) if depth > 0 else 0
        if kind < 2:
            return self.pick(LISTS)
        if kind == 2:
            return "(%s)|%s" % (self.pick(PLAIN_LISTS), self.pick(PLAIN_FILTERS))
        if kind == 3:
            return "(%s)|%s" % (self.list(depth - 1), self.pick(LIST_FILTERS))
        if kind == 4:
            return "(%s)[%s]" % (self.list(depth - 1), self.pick(["1:", ":2", "::-1", "-2:", "::2"]))
        if kind == 5:
            return "[%s, %s]" % (self.any(depth - 1), self.any(depth - 1))
        if kind == 6:
            return self.pick(PEOPLE[:5])
        return "(%s) + [%s]" % (self.list(depth - 1), self.any(depth - 1))

    def truth(self, depth):
        kind = self.random.randrange(8) if depth > 0 else 0
        if self.loops and self.chance(0.15):
            return "loop." + self.pick(["first", "last"])
        if kind < 2:
            return "%s is %s%s" % (self.wrapped(self.any(depth - 1)), self.pick(["", "not "]), self.pick(TESTS))
        if kind == 2:
            return "(%s) is %s" % (self.number(depth - 1), self.pick(NUMBER_TESTS))
        if kind == 3:
            return "(%s) %s (%s)" % (self.number(depth - 1), self.pick(["<", "<=", ">", ">=", "==", "!="]), self.number(depth - 1))
        if kind == 4:
            return "(%s) %s (%s)" % (self.words(depth - 1), self.pick(["<", ">=", "==", "!=", "in", "not in"]), self.words(depth - 1))
        if kind == 5:
            return "(%s) %s (%s)" % (self.any(depth - 1), self.pick(["in", "not in"]), self.list(depth - 1))
        if kind == 6:
            return "not (%s)" % self.any(depth - 1)
        return "(%s) %s (%s)" % (self.any(depth - 1), self.pick(["and", "or", "==", "!="]), self.any(depth - 1))

    def any(self, depth):
        if self.chance(self.errors):
            return self.pick(ERRORS)
        kind = self.random.randrange(9)
        if kind < 2:
            return self.number(depth)
        if kind < 4:
            return self.words(depth)
        if kind == 4:
            return self.list(depth)
        if kind == 5:
            return self.pick(DICTS + PEOPLE)
        if kind == 6:
            return self.truth(depth)
        if kind == 7 and depth > 0:
            return "(%s if %s else %s)" % (self.any(depth - 1), self.truth(depth - 1), self.any(depth - 1))
        return self.pick(ANY)

    def expression(self, depth=3):
        return self.any(depth)

    def wrapped(self, text):
        return text if self.chance(0.3) else "(%s)" % text

    def sign(self):
        return self.pick(["", "", "", "", "-", "+"])

    def tag(self, text):
        end = self.pick(["", "", "", "-", "+"])
        return "{%%%s %s %s%%}" % (self.sign(), text, end)

    def text(self):
        return self.pick(["", " ", "x", "\n", "a b", "\n  ", "  \n", "- ", "é", "{ ", "\n\n"])

    def statement(self, depth):
        kind = self.random.randrange(12) if depth > 0 else self.random.randrange(5)
        if kind < 2:
            return self.text()
        if kind < 4:
            return "{{%s %s %s}}" % (self.pick(["", "", "-"]), self.expression(), self.pick(["", "", "-"]))
        if kind == 4:
            return self.tag("set %s = %s" % (self.pick(["v", "w", "z"]), self.expression(2)))
        if kind < 7:
            parts = [self.tag("if " + self.truth(2)), self.body(depth - 1)]
            if self.chance(0.4):
                parts += [self.tag("elif " + self.truth(2)), self.body(depth - 1)]
            if self.chance(0.5):
                parts += [self.tag("else"), self.body(depth - 1)]
            return "".join(parts + [self.tag("endif")])
        if kind < 9:
            return self.loop(depth)
        if kind == 9:
            name = "m%d" % len(self.macros)
            loops, self.loops = self.loops, 0
            parts = [self.tag("macro %s(v, w='dflt')" % name), self.body(depth - 1), self.tag("endmacro")]
            self.loops = loops
            self.macros.append(name)
            return "".join(parts) + "{{ %s(%s) }}" % (name, self.expression(1))
        if kind == 10:
            if self.chance(0.5):
                return self.tag("set w") + self.body(depth - 1) + self.tag("endset") + "{{ w }}"
            return self.tag("with v = %s" % self.expression(1)) + self.body(depth - 1) + self.tag("endwith")
        return self.pick(["{# remark #}", "{#- remark -#}", "{% include 'plain.j2' %}", "{% raw %}{{ x }}{% endraw %}",
                          "{{ %s(1) }}" % self.pick(self.macros) if self.macros else "{% filter upper %}abc{% endfilter %}"])

    def loop(self, depth):
        target, source = self.pick([("k, v", "d.items()"), ("k, v", "d|dictsort"), ("v", "range(3)"), ("w", "'abc'"), ("v", "missing"), ("v", "d"),
                                    ("v", self.list(1)), ("w", self.list(1)), ("v", "people"), ("k, w", "people|groupby('age')")])
        test = " if " + self.truth(1) if self.chance(0.2) else ""
        self.loops += 1
        body = self.body(depth - 1)
        self.loops -= 1
        other = self.tag("else") + self.body(depth - 1) if self.chance(0.3) else ""
        return self.tag("for %s in %s%s" % (target, source, test)) + body + other + self.tag("endfor")

    def body(self, depth):
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))


def cases(count, seed):
    made = []
    for number in range(count):
        maker = Maker(seed * 1000003 + number)
        template = "".join(maker.statement(3) for _ in range(maker.random.randrange(1, 5)))
        made.append({"name": "random %d" % number, "template": template, "trim": maker.chance(0.4), "lstrip": maker.chance(0.4)})
    return made
