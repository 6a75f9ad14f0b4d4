// A reporter for `node --test`: JUnit XML on standard output, each test as soon as it is known, with its file and
// the names of the suites around it. What tests print goes to standard error. Before each line stands a digest of the
// run's secret, which standard input gave, and of all lines so far: the processes of the tests can write to this one's
// output, but no line that is taken for ours.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";

const tagLength = 32;
const digest = createHash("sha256").update(readFileSync(0));
// Without a listener this signal would open the runner to a debugger.
process.on("SIGUSR1", () => {});

function line(text) {
  digest.update(text);
  return `${digest.copy().digest("hex").slice(0, tagLength)} ${text}\n`;
}

const messageLimit = 1000;
const escapes = { '"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" };

function quoted(text) {
  const safe = text
    .replace(/["&<>\t\n\r]/g, (each) => escapes[each])
    .replace(/[\u0000-\u001f\ufffe\uffff]/g, (each) => `\\x${each.codePointAt(0).toString(16).padStart(2, "0")}`)
    .toWellFormed();
  return `"${safe}"`;
}

function said(error) {
  return String(error?.cause?.message ?? error?.message ?? error ?? "").slice(0, messageLimit);
}

function inner(type, data) {
  if (data.skip !== undefined && data.skip !== false) return '<skipped type="skipped"/>';
  if (data.todo !== undefined && data.todo !== false) return '<skipped type="todo"/>';
  return type === "test:pass" ? "" : `<failure message=${quoted(said(data.details?.error))}/>`;
}

function testcase(file, name, content) {
  const path = file ? relative(process.cwd(), file) : "";
  return `<testcase classname=${quoted(path)} name=${quoted(name)} file=${quoted(path)}>${content}</testcase>`;
}

export default async function* report(source) {
  yield line('<?xml version="1.0" encoding="utf-8"?>');
  yield line('<testsuites><testsuite name="node">');
  let names = [];
  for await (const { type, data } of source) {
    if (type === "test:start") {
      names = [...names.slice(0, data.nesting), data.name];
    } else if (type === "test:stdout" || type === "test:stderr") {
      process.stderr.write(data.message);
    } else if ((type === "test:pass" || type === "test:fail") && data.details?.type !== "suite") {
      // A file that ran no test, or did not even load, is reported under its own path, and has no name of its own.
      const isFile = data.file !== undefined && resolve(data.name) === data.file;
      const name = isFile ? "" : [...names.slice(0, data.nesting), data.name].join(" > ");
      yield line(testcase(data.file, name, inner(type, data)));
    }
  }
  yield line("</testsuite></testsuites>");
}
