"""As much of JSON Schema as /openapi.json uses: what is wrong with a value, in words; an empty list: nothing."""

import re

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
         "number": (int, float)}


def is_kind(value, kind):
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, KINDS[kind])


class Schemas:
    def __init__(self, document):
        self.components = document["components"]["schemas"]

    def named(self, name, value):
        return self.faults({"$ref": "#/components/schemas/" + name}, value)

    def faults(self, schema, value, at=""):
        if "$ref" in schema:
            return self.faults(self.components[schema["$ref"].rsplit("/", 1)[1]], value, at)
        found = []
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(is_kind(value, kind) for kind in kinds):
            return [f"{at} is {type(value).__name__}, not {kinds}"]
        if "const" in schema and value != schema["const"]:
            found.append(f"{at} is not {schema['const']}")
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"{at} is {value!r}, none of {schema['enum']}")
        if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
            found.append(f"{at} is {value!r}, not like {schema['pattern']}")
        for part in schema.get("allOf", []):
            found += self.faults(part, value, at)
        for word in ("anyOf", "oneOf"):
            if word in schema and all(self.faults(part, value, at) for part in schema[word]):
                found.append(f"{at} fits none of {word}")
        if isinstance(value, dict):
            found += self.members(schema, value, at)
        if isinstance(value, list):
            for i, item in enumerate(value):
                found += self.faults(schema.get("items", {}), item, f"{at}[{i}]")
        return found

    def members(self, schema, value, at):
        found = [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
        known = schema.get("properties", {})
        for name, member in value.items():
            if name in known:
                found += self.faults(known[name], member, f"{at}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{at}.{name} is not known")
        return found
