// Bundles the scripts and styles of pages into static/js and static/css, for browsers of the last
// two years. Each script of pages/ is what one kind of page loads; what several need is a chunk.

import { readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const place = (path) => fileURLToPath(new URL(path, import.meta.url));
const options = { bundle: true, minify: true, sourcemap: "linked", legalComments: "none", logLevel: "warning" };
const pages = (await readdir(place("pages/"))).map((name) => place(`pages/${name}`));

for (const folder of ["js", "css"]) await rm(place(`../static/${folder}`), { recursive: true, force: true });
await build({
  ...options,
  // Pages of others may follow topics as well.
  entryPoints: [...pages, place("scripts/stream.js")],
  entryNames: "[name]",
  outdir: place("../static/js"),
  format: "esm",
  splitting: true,
  target: ["es2022"],
});
await build({ ...options, entryPoints: [place("styles/main.css")], outdir: place("../static/css") });
