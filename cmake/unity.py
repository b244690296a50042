#!/usr/bin/env python3
"""Groups source files of a target so that each group is compiled as one (a unity build).

    cmake/unity.py SIZE FILE…      prints a line for each group: its files, separated by ';'

Files that are compiled together share their unnamed namespaces and macros. A file joins a group only if no name that it defines there
occurs in the other files of the group, and the reverse. So every name means the same as in a file that is compiled by itself.
The order of the files decides, so the groups change little from one commit to the next.
"""
import re
import sys

UNNAMED_BEGINS = "namespace {"
UNNAMED_ENDS = "}  // namespace\n"
END = "}@\n"
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|enum class|enum|union)\s+(\w+)(?=\s*(?:[{:;]|final\b|$))")
ALIAS = re.compile(r"^(?:using|namespace)\s+(\w+)\s*=\s*(.*);")
USING = re.compile(r"^using\s+([\w:]+);")
NAME = re.compile(r"(\w+)\s*[(={\[;]")
MACRO = re.compile(r"^#define\s+(\w+)", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")


class Source:
    """`own`: names that the file defines for itself. `words`: all that occur in it. `means`: what its aliases stand for."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            text = TEXT.sub('""', COMMENT.sub("", file.read().replace(UNNAMED_ENDS, END)))
        self.own, self.means = set(MACRO.findall(text)), {}
        self.words = set(WORD.findall(text))
        is_unnamed = False
        for line in text.splitlines():
            is_unnamed = (is_unnamed or line.startswith(UNNAMED_BEGINS)) and line != END.strip()
            if line[:1].isalpha() and not line.startswith(("namespace", "using namespace")) or ALIAS.match(line):
                self.read_line(line, is_unnamed)

    def read_line(self, line, is_unnamed):
        using, alias = USING.match(line), ALIAS.match(line)
        if using:
            self.means[using.group(1).rsplit("::", 1)[-1]] = using.group(1)
        elif alias:
            self.means[alias.group(1)] = alias.group(2)
        elif is_unnamed or line.startswith(("static ", "constexpr ", "const ")):
            found = TYPE.match(line) or NAME.search(line)
            is_member = found and line[found.start(1) - 1] in ":~"
            if found and not is_member and not found.group(1).isupper():
                self.own.add(found.group(1))

    def may_join(self, other):
        if self.own & other.words or other.own & self.words:
            return False
        return all(other.means.get(name, what) == what for name, what in self.means.items())


def groups_of(sources, size):
    groups = []
    for source in sources:
        for group in groups:
            if len(group) < size and all(source.may_join(other) for other in group):
                group.append(source)
                break
        else:
            groups.append([source])
    return groups


def main():
    for group in groups_of([Source(path) for path in sys.argv[2:]], int(sys.argv[1])):
        print(";".join(source.path for source in group))


if __name__ == "__main__":
    main()
