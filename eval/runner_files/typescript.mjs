// Makes node run TypeScript: what is imported is transpiled by the environment's own `typescript`, each file for itself
// and without checking types. Names are resolved as TypeScript does: `./x` and `./x.js` may be `./x.ts`.

import { register } from "node:module";

register("./typescript_hooks.mjs", import.meta.url);
