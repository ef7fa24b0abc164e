// Bundles the command into a few files, so that it starts fast: one entry, and a part for each command, loaded when used.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildPage } from '../../dashboard/scripts/build-page.mjs';

const root = new URL('..', import.meta.url).pathname;
await rm(`${root}dist/chunks`, { recursive: true, force: true });
await build({
  entryPoints: { tektite: `${root}src/main.ts` },
  outdir: `${root}dist`,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  // Names stay: stack traces are to be read, and giving shortened functions their names back takes time at each start.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // A native module cannot be bundled.
  // Some dependencies are CommonJS and ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
await buildPage(`${root}dist/page`);
