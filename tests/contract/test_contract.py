"""The contract of Belfry's own tools: its file, its schemas, its page and what the binary has agreed on are one."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs/agent_tools"
CONTRACT = yaml.safe_load((FOLDER / "agent_tool_contract_spec.yaml").read_text())
BY_NAME = {tool["name"]: tool for tool in CONTRACT["tools"]}
# What rules/json_schema.hpp looks at, and what is for people. Any other word would be written in vain.
KNOWN_WORDS = {"type", "enum", "const", "properties", "required", "additionalProperties", "minLength", "maxLength", "format",
               "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "items", "minItems", "maxItems", "description"}


def schema(reference):
    return json.loads((FOLDER / reference).read_text())


def registry():
    told = subprocess.run([os.environ["BELFRY"], "tool", "contract", "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def every_schema(of):
    """A schema and all that stand in it."""
    yield of
    for one in of.get("properties", {}).values():
        yield from every_schema(one)
    for name in ("items", "additionalProperties"):
        if isinstance(of.get(name), dict):
            yield from every_schema(of[name])


class TheContract(unittest.TestCase):
    def test_is_what_its_schema_wants(self):
        wanted = json.loads((FOLDER / "agent_tool_contract_spec.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(wanted)
        jsonschema.Draft202012Validator(wanted).validate(CONTRACT)

    def test_has_its_tools_by_name_and_each_once(self):
        names = [tool["name"] for tool in CONTRACT["tools"]]
        self.assertEqual(names, sorted(set(names)))

    def test_is_one_with_the_registry_of_the_binary(self):
        told = registry()
        self.assertEqual([one["name"] for one in told], [tool["name"] for tool in CONTRACT["tools"]])
        for one in told:
            with self.subTest(one["name"]):
                written = dict(BY_NAME[one["name"]])
                for side in ("input", "output"):
                    self.assertEqual(schema(written.pop(f"{side}SchemaRef")), one.pop(f"{side}Schema"))
                self.assertEqual(written, one)

    def test_page_is_up_to_date(self):
        made = subprocess.run([sys.executable, ROOT / "scripts/contract_page", "--check"], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)


class ASchema(unittest.TestCase):
    def test_is_one_and_uses_no_word_that_is_not_looked_at(self):
        for path in sorted((FOLDER / "schemas").iterdir()):
            with self.subTest(path.name):
                one = json.loads(path.read_text())
                jsonschema.Draft202012Validator.check_schema(one)
                self.assertEqual((one["type"], one["additionalProperties"]), ("object", False))
                for part in every_schema(one):
                    self.assertLessEqual(set(part), KNOWN_WORDS)
                    self.assertLessEqual(set(part.get("required", [])), set(part.get("properties", {})))

    def test_belongs_to_one_tool(self):
        written = sorted(path.name for path in (FOLDER / "schemas").iterdir())
        self.assertEqual(written, sorted(f"{name}.{side}.json" for name in BY_NAME for side in ("input", "output")))
        for name, tool in BY_NAME.items():
            self.assertEqual((tool["inputSchemaRef"], tool["outputSchemaRef"]),
                             (f"schemas/{name}.input.json", f"schemas/{name}.output.json"))

    def test_names_the_operation_where_something_changes_and_the_preview_where_it_may_be_of_high_risk(self):
        for name, tool in BY_NAME.items():
            with self.subTest(name):
                arguments = schema(tool["inputSchemaRef"])["properties"]
                self.assertEqual("operationId" in arguments, tool["idempotencyStrategy"] == "operationId")
                is_risky = tool["riskLevel"] == "high" or bool(tool["highRiskWith"])
                self.assertEqual({"previewOnly", "previewToken"} & set(arguments),
                                 {"previewOnly", "previewToken"} if is_risky else set())
                self.assertLessEqual(set(tool["highRiskWith"]), set(arguments))


if __name__ == "__main__":
    unittest.main()
