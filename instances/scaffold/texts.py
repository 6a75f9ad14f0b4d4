"""What the files of a new pair say before its author has written them."""

from pathlib import Path

from instances.dataset import CANARY
from instances.model import Family
from instances.scaffold_marks import MARK

_REQUIREMENT = """{mark}: what the {who} asks of their own agent, in that person's voice, 60 to 450 words. Replace all of this.

{mark}: say why, say exactly what is to hold afterwards, and name each function, option, key, column and message that the tests of
this side use: somebody who has this text and the base alone must be able to pass them. Say nothing of the other request, of
tests, or of a benchmark: this person knows of none of them.
{hint}"""
_HINTS = {
    Family.CONTRADICTORY: "{mark}: this request and the other cannot both be met by putting the two changes side by side.\n",
    Family.COMPLEMENTARY: "{mark}: one request makes what the other uses; neither says how the two are to fit.\n",
    Family.NON_INTERACTING: "{mark}: the two requests have nothing to do with each other.\n",
}
_STUBS = {
    "python": '# {canary}\n# {mark}: {what}\n\n\ndef test_to_write():\n    raise AssertionError("to be written")\n',
    "javascript": "// {canary}\n// {mark}: {what}\n{require}\n\ntest('to write', () => {{ throw new Error('to be written') }})\n",
    "go": (
        '// {canary}\npackage heldout\n\n// {mark}: {what}\n\nimport "testing"\n\n'
        'func TestToWrite(t *testing.T) {{\n\tt.Fatal("to be written")\n}}\n'
    ),
}
TEST_FILES = {"python": "test_{side}.py", "javascript": "{side}.test.js", "typescript": "{side}.test.ts", "go": "{side}_test.go"}
STUB_NAMES = {"python": "test_to_write", "javascript": "to write", "typescript": "to write", "go": "TestToWrite"}
RUNNERS = {"python": "pytest", "javascript": "node-test", "typescript": "node-test-ts", "go": "go-test"}
_TESTED = {
    "a": "what requirement_a.md asks for, and nothing else; every test fails on the base (or is listed as pass_to_pass)",
    "b": "what requirement_b.md asks for, and nothing else; every test fails on the base (or is listed as pass_to_pass)",
    "joint": "what only both changes together can do; each test must fail with either change alone",
}


def requirement(side: str, family: Family) -> str:
    who = f"person behind request {side.upper()}"
    return _REQUIREMENT.format(mark=MARK, who=who, hint=_HINTS[family].format(mark=MARK))


def held_out(side: str, language: str, *, modules: bool) -> str:
    """A suite's stub; `modules` where a node package's files are ES modules."""
    stub = _STUBS["javascript" if language == "typescript" else language]
    imports = modules or language == "typescript"
    require = "import { test } from 'node:test'" if imports else "const { test } = require('node:test')"
    return stub.format(canary=CANARY, mark=MARK, what=_TESTED[side], require=require)


def authoring(name: str, family: Family, suffix: str, language: str) -> str:
    """The list of what is to be written, which stands in the folder until it is done."""
    template = Path(__file__).with_name("authoring.md.txt").read_text(encoding="utf-8")
    return template.format(
        mark=MARK,
        name=name,
        suffix=suffix,
        tests=f"tests/SIDE/heldout/{TEST_FILES[language].format(side='SIDE')}",
        divergent=_DIVERGENT.format(suffix=suffix) if family is Family.COMPLEMENTARY else "",
        rules=_RULES[family],
    )


_RULES = {
    Family.CONTRADICTORY: "the two references, concatenated or merged by git, must not be solved.",
    Family.COMPLEMENTARY: "the two references, concatenated or merged by git, must be solved, and neither alone.",
    Family.NON_INTERACTING: "the two references, concatenated or merged by git, must be solved.",
}
_DIVERGENT = """8. `controls/divergent{suffix}`, of the side that `controls.divergent_side` names in instance.json:
   that side done well, by its own tests, with another contract than the other reference expects. It merges cleanly with that
   one, and fails tests/joint.
"""
