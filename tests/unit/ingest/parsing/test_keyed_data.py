"""JSON and YAML are read by key path, and descriptions of interfaces by operation."""

import json

import pytest

from footnote_ingest.parsing.elements import Extracted
from tests.unit.ingest.parsing.here import parsed_here

PACKAGE = """{
  "name": "tide-tables",
  "version": "1.10",
  "scripts": {
    "test": "vitest run --coverage",
    "build": "tsc --project ."
  },
  "dependencies": {
    "left-pad": "^1.3.0",
    "nested": {"deep": {"deeper": "DEEP"}, "flat": {"shallow": 1}}
  },
  "files": ["dist"]
}
""".replace("DEEP", "words " * 40)
DEPLOYMENT = """\
# The web server.
kind: Deployment
metadata:
  name: web
  labels: {app: web, tier: front, team: tides, zone: north-east}
# How many of them run.
spec:
  replicas: 3
  template: &template
    containers:
      - image: nginx:1.25
---
kind: Service
"""


def where(extracted: Extracted, words: str) -> tuple[str, ...]:
    return next(element.heading_path for element in extracted.elements if words in element.text)


class TestKeys:
    def test_are_the_headings_and_the_text_stays_as_it_is(self) -> None:
        extracted = parsed_here(PACKAGE, "package.json")
        assert extracted.text == PACKAGE
        assert {(element.kind, element.language) for element in extracted.elements} == {("code", "json")}
        assert where(extracted, "tide-tables") == ()
        assert where(extracted, "vitest") == ("scripts",)
        assert where(extracted, "left-pad") == ("dependencies",)
        assert where(extracted, "deeper") == ("dependencies", "nested", "deep")
        assert where(extracted, "shallow") == ("dependencies", "nested")
        assert where(extracted, '"files"') == ()

    def test_of_yaml_take_the_comments_above_them_along(self) -> None:
        extracted = parsed_here(DEPLOYMENT, "web.yml")
        assert (extracted.text, extracted.mime) == (DEPLOYMENT, "application/yaml")
        assert where(extracted, "tier: front") == ("metadata",)
        spec = next(element for element in extracted.elements if "replicas" in element.text)
        assert spec.heading_path == ("spec",)
        assert spec.text.startswith("# How many of them run.\nspec:\n")
        assert where(extracted, "nginx") == ("spec",)
        assert where(extracted, "kind: Service") == ()

    def test_a_large_entry_of_a_list_is_called_by_its_name(self) -> None:
        entries = [{"name": name, "text": f"{name} words " * 60} for name in ("Ebb", "Flow")]
        extracted = parsed_here(
            json.dumps({"tides": [*entries, {"text": "more " * 200}]}, indent=1), "a.json"
        )
        paths = [element.heading_path for element in extracted.elements]
        assert [path for path in paths if path] == [("tides", "Ebb"), ("tides", "Flow"), ("tides", "[2]")]

    def test_no_element_is_brackets_alone(self) -> None:
        for text in (PACKAGE, json.dumps(json.loads(PACKAGE)), json.dumps([[{"a": "x" * 700}]] * 3)):
            elements = parsed_here(text, "a.json").elements
            assert all(any(char.isalnum() for char in element.text) for element in elements)

    def test_the_title_is_that_of_the_data(self) -> None:
        assert (
            parsed_here('{"title": "Tides of the North", "type": "object"}', "a.json").title
            == "Tides of the North"
        )


class TestLines:
    def test_many_records_are_packed(self) -> None:
        records = "".join(f'{{"id": {number}, "name": "entry {number}"}}\n' for number in range(50_000))
        extracted = parsed_here(records, "log.jsonl")
        assert extracted.text == records
        assert len(extracted.elements) < 10_000
        assert '"entry 49999"' in extracted.elements[-1].text

    def test_a_long_line_is_laid_out(self) -> None:
        extracted = parsed_here(json.dumps([{"price": 1.5}] * 2_000), "a.json")
        assert max(map(len, extracted.text.split("\n"))) < 100

    def test_comments_and_names_without_quotes_pass(self) -> None:
        text = "{ // don't stop\n  name: 'a \"b\"', /* } */ list: [1,2,],\n}\n"
        extracted = parsed_here(text, "a.json5")
        assert (extracted.text, extracted.warnings) == (text, ())


class TestBroken:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ('{"a": [1, 2', "a.json"),
            ('{"a": 1]}', "a.json"),
            ("]", "a.json"),
            ("[" * 100_000, "a.json"),
            ('{"a":' * 100_000, "a.json"),
            ("a: [1, 2", "a.yaml"),
            ("[" * 100_000, "a.yaml"),
            ("- " * 100_000 + "a", "a.yaml"),
            ("\n".join(" " * depth + "a:" for depth in range(1_200)), "a.yaml"),
            ("a: b: c\n\tx", "a.yaml"),
        ],
    )
    def test_is_plain_code_and_that_is_said(self, text: str, name: str) -> None:
        extracted = parsed_here(text, name)
        assert [element.text for element in extracted.elements] == [text]
        assert extracted.warnings[0].startswith("The file was taken as plain code: ")

    def test_aliases_are_not_written_out(self) -> None:
        levels = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
        levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
        bomb = "openapi: 3.0.0\npaths: {}\n" + "\n".join(levels)
        assert parsed_here(bomb, "bomb.yaml").text == bomb

    @pytest.mark.parametrize(
        "text", ["? {a: 1}\n: value\nkey: more", "a: *unknown", "&a [*a]", "!!python/object:os.x {}"]
    )
    def test_odd_yaml_is_kept(self, text: str) -> None:
        assert parsed_here(text, "a.yaml").text == text


SPEC = """\
openapi: 3.0.3
info:
  title: Pet shop
  version: 1.0.0
  description: |
    Sells pets.

    ## Limits

    - ten a day
servers:
  - url: https://pets.example.org/v1
    description: the shop
tags:
  - name: pets
paths:
  /pets:
    parameters:
      - {name: trace, in: header, schema: {type: string}}
    get:
      operationId: listPets
      summary: List all pets
      parameters:
        - name: limit
          in: query
          required: true
          description: How many at most
          schema: {type: integer, format: int32, maximum: 100}
      responses:
        "200":
          description: A page of pets
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}
              example: [{name: Rex}]
    post:
      summary: Sell a pet
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Pet'}
      responses:
        default: {$ref: '#/components/responses/Error'}
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: {type: string, description: What it is called}
        home:
          type: object
          properties:
            street: {type: string, enum: [Oak, Elm]}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
"""


class TestInterface:
    def test_an_operation_is_a_section(self) -> None:
        extracted = parsed_here(SPEC, "openapi.yaml")
        assert extracted.title == "Pet shop"
        shown = {
            (element.kind, element.text)
            for element in extracted.elements
            if element.heading_path == ("Pet shop", "GET /pets")
        }
        assert ("paragraph", "List all pets") in shown
        rows = "parameter | in | type | required | description\n--- | --- | --- | --- | ---\n"
        rows += "trace | header | string |  |"
        assert (
            "table",
            f"{rows}\nlimit | query | integer (int32) | yes | How many at most; maximum: 100",
        ) in shown
        assert any("200 | A page of pets | application/json array of Pet" in text for _, text in shown)
        assert ("code", "operationId: listPets") in shown
        assert any("name: Rex" in text for _, text in shown)

    def test_a_schema_is_a_table_of_its_properties(self) -> None:
        extracted = parsed_here(SPEC, "openapi.yaml")
        pet = [e.text for e in extracted.elements if e.heading_path == ("Pet shop", "Schemas", "Pet")]
        assert "name | string | yes | What it is called" in pet[1]
        assert 'home.street | string |  | enum: ["Oak", "Elm"]' in pet[1]

    @pytest.mark.parametrize(
        ("holder", "reference"),
        [
            ("components: {parameters: ", "#/components/parameters/Depth"),
            ("parameters: ", "#/parameters/Depth"),
        ],
        ids=["openapi", "swagger"],
    )
    def test_what_operations_refer_to_is_said_in_words(self, holder: str, reference: str) -> None:
        depth = "{Depth: {name: depth, in: query, description: How deep to look}}"
        closing = "}" if holder.startswith("components") else ""
        spec = (
            "openapi: 3.0.3\ninfo: {title: Harbour}\n"
            "tags: [{name: quays, description: All that lie still}, {name: bare}]\n"
            f"paths: {{/quays: {{get: {{parameters: [{{$ref: '{reference}'}}]}}}}}}\n"
            f"{holder}{depth}{closing}\n"
        )
        shown = [(e.kind, e.heading_path[1:], e.text) for e in parsed_here(spec, "openapi.yaml").elements]
        assert ("paragraph", ("Parameters", "Depth"), "How deep to look") in shown
        assert ("paragraph", ("quays",), "All that lie still") in shown
        assert any(kind == "code" and "bare" in text for kind, _, text in shown)
        table = next(text for kind, path, text in shown if kind == "table" and path == ("GET /quays",))
        assert "depth | query |  |  | How deep to look" in table

    def test_nothing_is_lost(self) -> None:
        text = parsed_here(SPEC, "openapi.yaml").text
        for words in (
            "3.0.3",
            "1.0.0",
            "ten a day",
            "https://pets.example.org/v1",
            "X-Key",
            "Error",
            "Sell a pet",
        ):
            assert words in text

    def test_json_is_read_like_yaml(self) -> None:
        spec = {"swagger": "2.0", "info": {"title": "Old"}, "paths": {"/a": {"get": {"summary": "Gets a"}}}}
        extracted = parsed_here(json.dumps(spec), "api.json")
        assert extracted.elements[-1].heading_path == ("Old", "GET /a")

    @pytest.mark.parametrize("indent", [None, 2])
    def test_its_mark_may_stand_behind_many_components(self, indent: int | None) -> None:
        """Where keys are sorted."""
        schemas = {f"Boat{number}": {"type": "object", "description": "b" * 900} for number in range(200)}
        operation = {"summary": "Lists all boats in the harbour.", "responses": {}}
        spec = {
            "components": {"schemas": schemas},
            "info": {"title": "Harbour", "version": "1"},
            "openapi": "3.0.1",
            "paths": {"/boats": {"get": operation}},
        }
        separators = (",", ":") if indent is None else None
        extracted = parsed_here(json.dumps(spec, indent=indent, separators=separators), "spec.json")
        assert extracted.title == "Harbour"
        assert where(extracted, "Lists all boats") == ("Harbour", "GET /boats")

    def test_data_that_only_speaks_of_it_is_data(self) -> None:
        text = '{"dependencies": {"openapi": "^1.0.0", "words": "and more of them here"}}'
        assert where(parsed_here(text, "package.json"), "openapi") == ("dependencies",)

    @pytest.mark.parametrize(
        "odd",
        ["7", "[]", "{get: 7}", "{get: {parameters: 7, responses: []}}", "{get: {responses: {200: []}}}"],
    )
    def test_odd_descriptions_break_nothing(self, odd: str) -> None:
        parsed_here(
            f"openapi: 3.0.0\ninfo: 7\npaths: {{/a: {odd}}}\ncomponents: {{schemas: {{A: {odd}}}}}", "a.yaml"
        )
