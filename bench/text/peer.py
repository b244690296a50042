#!/usr/bin/python3
"""Debian's Jinja2 on the same templates: peer.py FILE"""
import json
import statistics
import sys
import time

import jinja2

suite = json.load(open(sys.argv[1]))
environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
for name, source in suite["templates"].items():
    compiled = environment.from_string(source)
    data = suite["data"]
    size = len(compiled.render(**data).encode())
    samples, total = [], 0.0
    while total < 1 or len(samples) < 5:
        begin = time.perf_counter()
        for _ in range(100):
            compiled.render(**data)
        samples.append((time.perf_counter() - begin) / 100)
        total += samples[-1] * 100
    print(json.dumps({"what": "render", "document": name, "json_bytes": size, "seconds": statistics.median(samples)}))
