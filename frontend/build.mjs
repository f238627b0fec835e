// Bundles each module directly below src/ into static/build/, for browsers of the last two years.

import { readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const sources = new URL("src/", import.meta.url);
const output = fileURLToPath(new URL("../static/build/", import.meta.url));

const names = (await readdir(sources)).filter((name) => name.endsWith(".js"));
await rm(output, { recursive: true, force: true });
await build({
  entryPoints: names.map((name) => fileURLToPath(new URL(name, sources))),
  outdir: output,
  bundle: true,
  format: "esm",
  minify: true,
  sourcemap: "linked",
  target: ["es2022"],
  legalComments: "none",
  logLevel: "warning",
});
