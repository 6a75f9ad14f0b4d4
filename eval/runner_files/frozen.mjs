// Loaded into each process of `node --test` before anything of the tree: what tests are made of can't be exchanged then.
// Freezing alone is not enough for what is imported by name, so the names are synchronised with what is frozen.

import assert from "node:assert";
import { AsyncResource } from "node:async_hooks";
import * as module from "node:module";
import test, { before, beforeEach } from "node:test";

for (const part of [assert, assert.strict, assert.AssertionError, assert.AssertionError.prototype, test, test.describe, test.suite]) {
  if (part !== undefined) Object.freeze(part);
}
// The runner calls each test through this method. The whole prototype can't be frozen: subclasses of it could set nothing then.
Object.defineProperty(AsyncResource.prototype, "runInAsyncScope", { writable: false, configurable: false });
module.syncBuiltinESMExports();

// A test's context, of which subtests are made, can be had inside a test or a hook only: ours are the first.
function hold(context) {
  Object.freeze(Object.getPrototypeOf(context));
  Object.freeze(context);
}
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  before(hold);
  beforeEach(hold);
}
