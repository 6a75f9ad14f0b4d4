// The hooks of `typescript.mjs`, which run in a thread of their own that nothing of the tree is loaded into.

import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const typescript = createRequire(import.meta.url)("typescript");
const source = /\.[cm]?ts$/;
const options = {
  target: typescript.ScriptTarget.ES2022,
  module: typescript.ModuleKind.ESNext,
  isolatedModules: true,
  esModuleInterop: true,
  useDefineForClassFields: true,
  experimentalDecorators: true,
  inlineSourceMap: false,
};

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function candidates(path) {
  const plain = path.replace(/\.([cm]?)js$/, ".$1ts");
  return [path, ...(plain === path ? [] : [plain]), `${path}.ts`, `${path}.mts`, `${path}.js`, `${path}/index.ts`, `${path}/index.js`];
}

export async function resolve(specifier, context, next) {
  if (/^(\.{1,2}\/|\/|file:)/.test(specifier) && (context.parentURL ?? "file:///").startsWith("file:")) {
    const path = fileURLToPath(new URL(specifier, context.parentURL ?? pathToFileURL(`${process.cwd()}/`)));
    const found = candidates(path).find(isFile);
    if (found !== undefined && found !== path) return next(pathToFileURL(found).href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith("file:") || !source.test(new URL(url).pathname)) return next(url, context);
  const fileName = fileURLToPath(url);
  const { outputText } = typescript.transpileModule(readFileSync(fileName, "utf8"), { fileName, compilerOptions: options });
  return { format: "module", source: outputText, shortCircuit: true };
}
