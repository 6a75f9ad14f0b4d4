// Runs Go tests inside the grading sandbox and writes each test's outcome to the grader as it is known.
//
// Started with GO111MODULE=off, so that no go.mod of the tree can keep it from starting; the arguments are the go
// command and the test files, relative to the tree, which is the working folder. The report is JUnit XML on standard
// output. Before each line stands a digest of the run's secret, which standard input gave, and of all lines so far.
//
// The tests of a package are compiled together with a TestMain of ours, which is written anew for each run: it tells of
// each test on a pipe, line by line, with a digest that starts from a key that only it and this program know. Neither it
// nor the tests' sources are on disk while they run. What the tests print is never read.
package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	tagLength     = 32
	messageLimit  = 1000
	mostRestarts  = 200
	notDumpable   = 0
	prSetDumpable = 4
)

// report writes JUnit XML whose lines nobody else can write.
type report struct{ digest hash.Hash }

func (r *report) line(text string) {
	r.digest.Write([]byte(text))
	fmt.Fprintf(os.Stdout, "%s %s\n", hex.EncodeToString(r.digest.Sum(nil))[:tagLength], text)
}

func quoted(text string) string {
	var out strings.Builder
	for _, each := range strings.ToValidUTF8(text, "?") {
		switch {
		case strings.ContainsRune("\"&<>\t\n\r", each):
			fmt.Fprintf(&out, "&#%d;", each)
		case each < ' ' || each == 0xfffe || each == 0xffff:
			fmt.Fprintf(&out, "\\x%02x", each)
		default:
			out.WriteRune(each)
		}
	}
	return `"` + out.String() + `"`
}

func (r *report) testcase(file, name, outcome, message string) {
	if len(message) > messageLimit {
		message = message[:messageLimit]
	}
	inner := map[string]string{"passed": "", "skipped": `<skipped type="skipped"/>`}[outcome]
	if outcome == "failed" {
		inner = "<failure message=" + quoted(message) + "/>"
	}
	classname := strings.TrimSuffix(file, ".go")
	r.line(fmt.Sprintf("<testcase classname=%s name=%s file=%s>%s</testcase>", quoted(classname), quoted(name), quoted(file), inner))
}

// test is one top-level test function.
type test struct{ file, name, pkg string }

// suite is the tests of one folder, which are compiled into one program.
type suite struct {
	folder string
	files  []string
	tests  []test
}

// isTest tells whether a function is one that Go runs as a test.
func isTest(function *ast.FuncDecl) bool {
	rest := strings.TrimPrefix(function.Name.Name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return function.Recv == nil && rest != function.Name.Name && (rest == "" || !unicode.IsLower(first)) &&
		function.Name.Name != "TestMain" && function.Type.Params.NumFields() == 1
}

func read(files []string) []*suite {
	byFolder := map[string]*suite{}
	var suites []*suite
	for _, file := range files {
		folder := filepath.Dir(file)
		if byFolder[folder] == nil {
			byFolder[folder] = &suite{folder: folder}
			suites = append(suites, byFolder[folder])
		}
		here := byFolder[folder]
		here.files = append(here.files, file)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler will say so
		}
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && isTest(function) {
				here.tests = append(here.tests, test{file, function.Name.Name, parsed.Name.Name})
			}
		}
	}
	return suites
}

func random(length int) []byte {
	data := make([]byte, length)
	if _, err := rand.Read(data); err != nil {
		panic(err)
	}
	return data
}

// named gives an identifier that nobody can foresee.
func named() string { return "z" + hex.EncodeToString(random(9)) }

func bytesOf(data []byte) string {
	return strings.Trim(fmt.Sprintf("%#v", data), " ")
}

// driver is the TestMain of ours, and what it takes from the package inside, where the tests are in two.
type driver struct {
	files map[string]string
	key   []byte
}

// outerPackage names the package of our TestMain: the one outside, where the tree's own names do not reach, unless the
// folder holds nothing but tests or a program, which nothing can import.
func outerPackage(own *suite) string {
	inside, sources := "", false
	for _, one := range own.tests {
		if inside = one.pkg; !strings.HasSuffix(one.pkg, "_test") {
			break
		}
	}
	entries, _ := os.ReadDir(own.folder)
	for _, entry := range entries {
		sources = sources || strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go")
	}
	if sources && inside != "main" && !strings.HasSuffix(inside, "_test") {
		return inside + "_test"
	}
	for _, one := range own.tests {
		if strings.HasSuffix(one.pkg, "_test") {
			return one.pkg
		}
	}
	return inside
}

// write makes the sources that drive a suite's tests.
func write(own *suite, importPath string) driver {
	mask, key, names := random(32), random(32), map[string]string{}
	masked := make([]byte, len(key))
	for i := range key {
		masked[i] = key[i] ^ mask[i]
	}
	for _, name := range strings.Fields("t io os sha hex run key mask chain out lock sync wrap inner names each done say line") {
		names[name] = named()
	}
	packages := map[string][]test{}
	for _, one := range own.tests {
		packages[one.pkg] = append(packages[one.pkg], one)
	}
	outer := outerPackage(own)
	made := driver{map[string]string{}, key}
	table, imported := "", ""
	for name, tests := range packages {
		prefix := ""
		if name != outer {
			list := "X" + named()
			text := fmt.Sprintf("package %s\n\nimport %s \"testing\"\n\nvar %s = map[string]func(*%s.T){", name, names["t"], list, names["t"])
			for _, one := range tests {
				text += fmt.Sprintf("%q: %s,", one.name, one.name)
			}
			made.files[filepath.Join(own.folder, named()+"_test.go")] = text + "}\n"
			imported = fmt.Sprintf("import %s %q\n", names["inner"], importPath)
			prefix = names["inner"] + "." + list
		}
		for _, one := range tests {
			function := one.name
			if prefix != "" {
				function = fmt.Sprintf("%s[%q]", prefix, one.name)
			}
			table += fmt.Sprintf("\t%s(%q, %s),\n", names["wrap"], one.name, function)
		}
	}
	text := strings.NewReplacer("PACKAGE", outer, "IMPORTED", imported, "TABLE", table,
		"MASKED", bytesOf(masked), "MASK", bytesOf(mask)).Replace(driverSource)
	for name, made := range names {
		text = strings.ReplaceAll(text, "@"+name+"@", made)
	}
	made.files[filepath.Join(own.folder, named()+"_test.go")] = text
	return made
}

// The outcome is told when the test and all that it started with t.Run are over. One that left neither by returning nor
// by failing nor by skipping was left by the code that it tests.
const driverSource = `package PACKAGE

import @t@ "testing"
import @os@ "os"
import @sha@ "crypto/sha256"
import @hex@ "encoding/hex"
import @sync@ "sync"
IMPORTED
var @key@, @mask@ = MASKED, MASK
var @chain@ = @sha@.New()
var @out@ = @os@.NewFile(3, "report")
var @lock@ @sync@.Mutex

func @say@(@line@ string) {
	@lock@.Lock()
	defer @lock@.Unlock()
	@chain@.Write([]byte(@line@))
	@out@.WriteString(@hex@.EncodeToString(@chain@.Sum(nil))[:32] + " " + @line@ + "\n")
}

func @wrap@(@names@ string, @run@ func(*@t@.T)) @t@.InternalTest {
	return @t@.InternalTest{Name: @names@, F: func(@each@ *@t@.T) {
		@done@ := false
		@say@("start " + @names@)
		@each@.Cleanup(func() {
			switch {
			case @each@.Failed(), !@done@ && !@each@.Skipped():
				@say@("failed " + @names@)
			case @each@.Skipped():
				@say@("skipped " + @names@)
			default:
				@say@("passed " + @names@)
			}
		})
		@run@(@each@)
		@done@ = true
	}}
}

func TestMain(_ *@t@.M) {
	for @io@ := range @key@ {
		@key@[@io@] ^= @mask@[@io@]
	}
	@chain@.Write(@key@)
	for @io@ := range @key@ {
		@key@[@io@], @mask@[@io@] = 0, 0
	}
	wanted := map[string]bool{}
	for _, name := range @os@.Args[1:] {
		wanted[name] = true
	}
	@os@.Args = @os@.Args[:1]
	all := []@t@.InternalTest{
TABLE	}
	chosen := all[:0]
	for _, one := range all {
		if wanted[one.Name] {
			chosen = append(chosen, one)
		}
	}
	@t@.Main(func(string, string) (bool, error) { return true, nil }, chosen, nil, nil)
}
`

// runner compiles and runs suites for one report.
type runner struct {
	report *report
	goTool string
	tree   string
	home   string
	failed bool
}

func (r *runner) goCommand(folder string, arguments ...string) *exec.Cmd {
	command := exec.Command(r.goTool, arguments...)
	command.Dir = filepath.Join(r.tree, folder)
	command.Env = append(os.Environ(), "GO111MODULE=on", "GOCACHE="+filepath.Join(r.home, "cache"), "GOPATH="+filepath.Join(r.home, "path"))
	return command
}

func firstLine(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return "it said nothing"
}

// whole reports a folder's files as failed.
func (r *runner) whole(own *suite, message string) {
	r.failed = true
	fmt.Fprintln(os.Stderr, message)
	for _, file := range own.files {
		r.report.testcase(file, "", "failed", firstLine(message))
	}
}

// embedsTests names a test file that a package of the tree holds in itself, where it could read it while it runs.
func (r *runner) embedsTests(folder string) string {
	format := `{{range .EmbedFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .TestEmbedFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`
	listed, err := r.goCommand(folder, "list", "-e", "-deps", "-test", "-f", format, ".").Output()
	if err != nil {
		return "" // the compiler will say what is wrong
	}
	for _, path := range strings.Split(string(listed), "\n") {
		if strings.HasSuffix(path, "_test.go") {
			return path
		}
	}
	return ""
}

// compile makes a suite's program; it returns its key, or nil where there is none.
func (r *runner) compile(own *suite, program string) []byte {
	if len(own.tests) == 0 {
		r.whole(own, "no tests in it")
		return nil
	}
	importPath, _ := r.goCommand(own.folder, "list", "-e", "-f", "{{.ImportPath}}", ".").Output()
	made := write(own, strings.TrimSpace(string(importPath)))
	for path, text := range made.files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.whole(own, err.Error())
			return nil
		}
		defer os.Remove(path)
	}
	if embedded := r.embedsTests(own.folder); embedded != "" {
		r.whole(own, "a package embeds a test file: "+filepath.Base(embedded))
		return nil
	}
	said, err := r.goCommand(own.folder, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program, ".").CombinedOutput()
	if _, missing := os.Stat(program); err != nil || missing != nil {
		text := string(said)
		for path := range made.files {
			text = strings.ReplaceAll(text, filepath.Base(path), "the runner's own file")
		}
		r.whole(own, "it does not compile: "+firstLine(text)+"\n"+text)
		return nil
	}
	return made.key
}

// told reads what a suite's program tells of its tests, up to the first line that is not the driver's.
func told(pipe io.Reader, key []byte, tell func(kind, name string)) (whole bool) {
	chain := sha256.New()
	chain.Write(key)
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return line == ""
		}
		tag, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		chain.Write([]byte(text))
		if tag != hex.EncodeToString(chain.Sum(nil))[:tagLength] {
			io.Copy(io.Discard, lines)
			return false
		}
		kind, name, _ := strings.Cut(text, " ")
		tell(kind, name)
	}
}

// run runs a suite's program, and once more for what is left where the program ended before its time.
func (r *runner) run(own *suite, program *os.File, key []byte) {
	files := map[string]string{}
	var left []string
	for _, one := range own.tests {
		files[one.name] = one.file
		left = append(left, one.name)
	}
	outcomes := map[string]bool{}
	outcome := func(name, outcome, message string) {
		if file, known := files[name]; known {
			outcomes[name] = true
			r.failed = r.failed || outcome != "passed"
			r.report.testcase(file, name, outcome, message)
		}
	}
	for round := 0; len(left) > 0 && round < mostRestarts; round++ {
		started := map[string]bool{}
		whole := r.once(own, program, key, left, func(kind, name string) {
			if started[name] = true; kind != "start" {
				outcome(name, kind, "see the output")
			}
		})
		var next []string
		for _, name := range left {
			switch {
			case outcomes[name]:
			case !whole:
				outcome(name, "failed", "another than the runner told of tests")
			case started[name]:
				outcome(name, "failed", "the program ended in this test")
			default:
				next = append(next, name)
			}
		}
		if len(next) == len(left) {
			for _, name := range next {
				outcome(name, "failed", "the program ended before its tests began")
			}
			return
		}
		left = next
	}
}

// once runs a suite's program for the named tests.
func (r *runner) once(own *suite, program *os.File, key []byte, names []string, tell func(kind, name string)) bool {
	reading, writing, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer reading.Close()
	command := exec.Command("/proc/self/fd/4", names...)
	command.Args[0] = filepath.Base(own.folder) + ".test"
	command.Dir = filepath.Join(r.tree, own.folder)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	command.ExtraFiles = []*os.File{writing, program}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GO") {
			command.Env = append(command.Env, variable)
		}
	}
	err = command.Start()
	writing.Close()
	if err != nil {
		return true
	}
	ended := make(chan struct{})
	go func() {
		command.Wait()
		// What the tests left behind holds the pipe open, and would keep this waiting.
		syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		reading.SetReadDeadline(time.Now().Add(time.Second))
		close(ended)
	}()
	whole := told(reading, key, tell)
	<-ended
	return whole
}

// hide takes test files off the disk and gives what puts them back.
func hide(files []string) func() {
	kept := map[string][]byte{}
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && os.Remove(file) == nil {
			kept[file] = content
		}
	}
	return func() {
		for file, content := range kept {
			os.RemoveAll(file)
			os.WriteFile(file, content, 0o644)
		}
	}
}

func main() {
	secret, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	// No process of the tests may look into this one.
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, notDumpable, 0)
	own := &report{sha256.New()}
	own.digest.Write(secret)
	own.line(`<?xml version="1.0" encoding="utf-8"?>`)
	own.line(`<testsuites><testsuite name="go">`)
	tree, _ := os.Getwd()
	home, err := os.MkdirTemp("", "go-")
	if err != nil {
		panic(err)
	}
	r := &runner{own, os.Args[1], tree, home, false}
	files := append([]string{}, os.Args[2:]...)
	sort.Strings(files)
	type compiled struct {
		own     *suite
		program *os.File
		key     []byte
	}
	var ready []compiled
	for number, one := range read(files) {
		path := filepath.Join(home, fmt.Sprintf("%d.test", number))
		if key := r.compile(one, path); key != nil {
			program, err := os.Open(path)
			if err != nil {
				panic(err)
			}
			ready = append(ready, compiled{one, program, key})
		}
	}
	// The programs stay open, out of the reach of each other's tests, and so do the tests' sources.
	os.RemoveAll(home)
	putBack := hide(files)
	for _, one := range ready {
		r.run(one.own, one.program, one.key)
	}
	putBack()
	status := 0
	if r.failed {
		status = 1
	}
	own.line(fmt.Sprintf(`<properties><property name="exit" value="%d"/></properties></testsuite></testsuites>`, status))
	os.Exit(status)
}
