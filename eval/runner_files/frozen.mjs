// Loaded into each process of `node --test` before anything of the tree: what tests are made of can't be exchanged then.
// Freezing alone is not enough for what is imported by name, so the names are synchronised with what is frozen.

import assert from "node:assert";
import * as module from "node:module";
import test from "node:test";

for (const part of [assert, assert.strict, assert.AssertionError, assert.AssertionError.prototype, test, test.describe, test.suite]) {
  if (part !== undefined) Object.freeze(part);
}
module.syncBuiltinESMExports();
