"""Grading with Go's own testing."""

import platform
from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import GO_BASE, GO_IDS, GO_KEPT, GO_RIGHT, Bench, go_bench

from eval.junit import Status
from eval.runners import runner_of
from sandboxes.errors import SetupError
from sandboxes.local import UnisolatedSandboxFactory

pytestmark = pytest.mark.needs("bwrap", "go")

ADD = "\nfunc Add(a, b int) int { return a - b }\n"
HEAD = "package sums\n\n"
# Writes what a program would that tells of its tests to whatever is open, and leaves.
TELLS = """
func init() {
	text := ""
	for _, name := range os.Args[1:] {
		kind := "failed "
		if name == "TestAdd" || name == "TestLarge" || name == "TestKept" {
			kind = "passed "
		}
		text += "start " + name + "\\n" + kind + name + "\\n"
	}
	for number := 3; number < 30; number++ {
		os.NewFile(uintptr(number), "x").WriteString(text)
	}
	os.Exit(1)
}
"""
REPORT = """
func init() {
	text := ""
	for _, name := range os.Args[1:] {
		inner := "<failure/>"
		if name == "TestAdd" || name == "TestLarge" || name == "TestKept" {
			inner = ""
		}
		text += fmt.Sprintf(`<testcase name="%s" file="heldout/a_test.go">%s</testcase>`, name, inner) + "\\n"
	}
	text += `<properties><property name="exit" value="1"/></properties></testsuite></testsuites>` + "\\n"
	for _, number := range []int{os.Getppid(), 1} {
		if file, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", number), os.O_WRONLY, 0); err == nil {
			file.WriteString(text)
		}
	}
	os.Exit(1)
}
"""
PATCHED = """
//go:linkname fail testing.(*common).Fail
func fail(unsafe.Pointer)

func init() {
	at := reflect.ValueOf(fail).Pointer()
	page := unsafe.Slice((*byte)(unsafe.Pointer(at&^4095)), 8192)
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil {
		panic(err)
	}
	page[at&4095] = 0xc3
}
"""
# Each as wrong as the base; nothing of it may make a pass.
ATTACKS: dict[str, dict[str, str]] = {
    "exit at load": {"sums/add.go": f'{HEAD}import "os"\n\nfunc init() {{ os.Exit(0) }}\n{ADD}'},
    "exit past every check": {
        "sums/add.go": f'{HEAD}import "syscall"\n\nfunc Add(a, b int) int {{ syscall.Exit(0); return 0 }}\n'
    },
    "exit in a test": {"sums/add.go": f'{HEAD}import "os"\n\nfunc Add(a, b int) int {{ os.Exit(0); return 0 }}\n'},
    "the test's goroutine ended": {
        "sums/add.go": f'{HEAD}import "runtime"\n\nfunc Add(a, b int) int {{ runtime.Goexit(); return 0 }}\n'
    },
    "a TestMain beside the tests": {
        "heldout/main_test.go": 'package heldout\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
        "func TestMain(m *testing.M) { os.Exit(0) }\n"
    },
    "a TestMain in the package": {
        "sums/main.go": f'{HEAD}import (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {{ os.Exit(0) }}\n'
    },
    "a test of the same path": {"heldout/a_test.go": "package heldout\n"},
    "the held-out folder of another module": {"heldout/go.mod": "module example.org/other\n"},
    "a fake package in the held-out folder": {"heldout/x.go": "package heldout\n\nfunc init() { panic(0) }\n"},
    "the packages elsewhere": {
        "go.mod": "module example.org/sums\n\ngo 1.19\n\nreplace testing => ./testing\n",
        "testing/testing.go": "package testing\n\ntype T struct{}\n",
        "testing/go.mod": "module testing\n",
    },
    "a workspace": {"go.work": "go 1.19\n\nuse ./other\n", "other/go.mod": "module example.org/sums\n"},
    "vendored packages": {"vendor/modules.txt": "# x\n", "vendor/testing/t.go": "package testing\n"},
    "a build without the wrong code": {"sums/add.go": f"//go:build ignore\n\n{HEAD}{ADD}"},
    "code for tests alone": {"sums/add_test.go": f"{HEAD}func init() {{ add = right }}\n"},
    "C": {"sums/c.go": f'{HEAD}// #cgo CFLAGS: -fplugin=x\nimport "C"\n'},
    "flags set": {
        "sums/add.go": f'{HEAD}import (\n\t"flag"\n\t"testing"\n)\n\nfunc init() {{\n\ttesting.Init()\n'
        f'\tflag.Set("test.run", "Nothing")\n\tflag.Set("test.list", ".*")\n}}\n{ADD}'
    },
    "the flags of all tests replaced": {
        "sums/add.go": f'{HEAD}import "flag"\n\nfunc init() {{ flag.CommandLine = flag.NewFlagSet("x", 0) }}\n{ADD}'
    },
    "arguments replaced": {"sums/add.go": f'{HEAD}import "os"\n\nfunc init() {{ os.Args = os.Args[:1] }}\n{ADD}'},
    "output of passing tests": {
        "sums/add.go": f'{HEAD}import "fmt"\n\nfunc init() {{ fmt.Print("--- PASS: TestAdd (0.00s)\\nPASS\\nok\\n") }}\n{ADD}'
    },
    "tests told of": {"sums/add.go": f'{HEAD}import "os"\n{TELLS}{ADD}'},
    "a whole report written to the runner's output": {"sums/add.go": f'{HEAD}import (\n\t"fmt"\n\t"os"\n)\n{REPORT}{ADD}'},
    "a function of the tests' own defined again": {
        "sums/add.go": f'{HEAD}import _ "unsafe"\n\n//go:linkname fail testing.(*common).Fail\nfunc fail(x uintptr) {{}}\n{ADD}'
    },
    "a loop": {"sums/add.go": f"{HEAD}func Add(a, b int) int {{\n\tfor {{\n\t}}\n}}\n"},
    "a panic": {"sums/add.go": f'{HEAD}func Add(a, b int) int {{ panic("no") }}\n'},
    "a child that outlives": {
        "sums/add.go": f'{HEAD}import "os/exec"\n\nfunc init() {{ exec.Command("/bin/sleep", "300").Start() }}\n{ADD}'
    },
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return go_bench(tmp_path)


def test_right_and_wrong(bench: Bench) -> None:
    right, wrong = bench.grade(GO_RIGHT), bench.grade({})
    assert right.reason == "passed"
    assert right.statuses == {name: Status.PASSED for name in (*GO_IDS, *GO_KEPT)}
    assert wrong.statuses == {**{name: Status.FAILED for name in GO_IDS}, GO_KEPT[0]: Status.PASSED}
    assert bench.grade(GO_RIGHT, "base").reason == "passed"
    assert right.duration_seconds < 60


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_passes(name: str, bench: Bench) -> None:
    verdict = bench.with_deadline(6 if name == "a loop" else 60).grade(ATTACKS[name])
    assert not verdict.passed
    assert verdict.reason != "passed"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the attack is machine code")
def test_failing_made_to_do_nothing(bench: Bench) -> None:
    source = f'{HEAD}import (\n\t"reflect"\n\t"syscall"\n\t_ "testing"\n\t"unsafe"\n)\n{PATCHED}{ADD}'
    verdict = bench.grade({"sums/add.go": source, "sums/empty.s": ""})
    assert verdict.reason == "forged report: tests that must fail were reported otherwise"


def test_tests_embedded_in_what_they_test(bench: Bench) -> None:
    """What a package embeds it could read while its tests run, the driver's key too."""
    text = 'package sums\n\nimport "testing"\n\nfunc TestIn(t *testing.T) { _ = Add }\n'
    bench = bench.with_tests({"sums/in_test.go": text}, ("sums/in_test.go::TestIn",))
    source = f'{HEAD}import _ "embed"\n\n//go:embed in_test.go\nvar all string\n'
    verdict = bench.grade({"sums/embed.go": source})
    assert verdict.statuses == {"sums/in_test.go": Status.FAILED}
    output = (bench.evidence / verdict.evidence / "output.txt").read_text(encoding="utf-8")
    assert "a package embeds a test file: in_test.go" in output
    assert bench.grade({"sums/embed.go": source.replace("in_test.go", "add.go")}).reason == "passed"


def test_who_wrote_the_report_is_told(bench: Bench) -> None:
    reason = bench.grade(ATTACKS["a whole report written to the runner's output"]).reason
    assert reason.startswith(("forged report: another than the runner", "3 of 3 tests did not pass"))
    verdict = bench.grade(ATTACKS["tests told of"])
    assert set(verdict.statuses.values()) == {Status.FAILED}


def test_honest_work_passes_beside_such_files(bench: Bench) -> None:
    names = ("a TestMain beside the tests", "a test of the same path", "a fake package in the held-out folder", "a workspace")
    files = {path: text for name in (*names, "vendored packages") for path, text in ATTACKS[name].items()}
    verdict = bench.grade({**files, **GO_RIGHT})
    assert verdict.reason == "passed"
    assert {"heldout/main_test.go", "heldout/x.go", "go.work"} <= set(verdict.control_files)


def test_one_test_that_crashes_hides_no_other(bench: Bench) -> None:
    text = (
        'package heldout\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestOne(t *testing.T) {}\n\n'
        "func TestTwo(t *testing.T) { panic(1) }\n\n"
        "func TestThree(t *testing.T) { os.Exit(0) }\n\nfunc TestFour(t *testing.T) { t.Skip() }\n\n"
        "func TestFive(t *testing.T) { t.Parallel() }\n\nfunc TestSix(t *testing.T) {\n"
        '\tt.Run("inner", func(t *testing.T) { t.Parallel(); t.Fail() })\n}\n'
    )
    bench = bench.with_tests({"heldout/s_test.go": text}, ("heldout/s_test.go::TestOne",), "heldout")
    verdict = bench.grade({})
    found = {name.removeprefix("heldout/s_test.go::Test"): status for name, status in verdict.statuses.items()}
    assert found == {
        "One": Status.PASSED,
        "Two": Status.FAILED,
        "Three": Status.FAILED,
        "Four": Status.SKIPPED,
        "Five": Status.PASSED,
        "Six": Status.FAILED,
    }


def test_tests_inside_and_outside_of_their_package(bench: Bench) -> None:
    held_out = {
        "sums/in_test.go": 'package sums\n\nimport "testing"\n\nfunc TestIn(t *testing.T) { _ = Add }\n',
        "sums/out_test.go": 'package sums_test\n\nimport (\n\t"testing"\n\n\t"example.org/sums/sums"\n)\n\n'
        "func TestOut(t *testing.T) { _ = sums.Add }\n",
        "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestTop(t *testing.T) { main() }\n',
    }
    ids = ("sums/in_test.go::TestIn", "sums/out_test.go::TestOut", "main_test.go::TestTop")
    bench = bench.with_tests(held_out, ids)
    assert bench.grade({"main.go": "package main\n\nfunc main() {}\n"}).reason == "passed"
    # A name of the package that means something else in Go is not ours to trip over.
    odd = "package sums\n\nfunc append() {}\n\nconst true = false\n" + ADD
    assert bench.grade({"main.go": "package main\n\nfunc main() {}\n", "sums/add.go": odd}).reason == "passed"


def test_no_source_of_a_test_is_there_while_it_runs(bench: Bench) -> None:
    spy = (
        f'{HEAD}import (\n\t"fmt"\n\t"io/fs"\n\t"os"\n\t"path/filepath"\n\t"strings"\n)\n\nfunc init() {{\n'
        '\tfor _, top := range []string{"..", os.TempDir(), os.Getenv("HOME")} {\n'
        "\t\tfilepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {\n"
        '\t\t\tif text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "Test"+"Large") {\n'
        '\t\t\t\tfmt.Println("FOUND", path)\n\t\t\t}\n\t\t\treturn nil\n\t\t})\n\t}\n\tfmt.Println("LOOKED")\n}\n'
    )
    verdict = bench.grade({"sums/add.go": spy + GO_RIGHT["sums/add.go"].removeprefix("package sums\n")})
    output = (bench.evidence / verdict.evidence / "output.txt").read_text(encoding="utf-8")
    assert verdict.reason == "passed"
    assert "LOOKED" in output
    assert "FOUND" not in output


def test_the_tree_s_own_go_mod_never_keeps_the_runner_from_starting(bench: Bench) -> None:
    verdict = bench.grade({"go.mod": "nonsense\n", **GO_RIGHT})
    assert not verdict.passed
    assert verdict.statuses["heldout/a_test.go"] == Status.FAILED


def test_settings_of_the_caller_are_not_obeyed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOFLAGS", "-tags=nothing -toolexec=/nowhere")
    monkeypatch.setenv("GOCACHE", "/nowhere")
    bench = replace(bench, factory=UnisolatedSandboxFactory())
    assert bench.grade(GO_RIGHT).reason == "passed"


@pytest.mark.parametrize("argument", ["-run=TestAdd", "-short", "-tags", "-overlay=x"])
def test_options_are_refused(argument: str) -> None:
    with pytest.raises(SetupError, match="can't have"):
        runner_of(["go-test", "heldout", argument])


def test_base_s_own_tests_are_put_back(bench: Bench) -> None:
    weak = GO_BASE["sums/add_test.go"].replace("!= 3", "== 7")
    wrong = {"sums/add_test.go": weak, "sums/add.go": f"{HEAD}func Add(a, b int) int {{ return 9 }}\n"}
    verdict = bench.grade(wrong, "base")
    assert not verdict.passed
    assert verdict.control_files == ("sums/add_test.go",)
