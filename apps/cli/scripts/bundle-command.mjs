import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildPage } from '../../dashboard/scripts/build-page.mjs';

const root = join(import.meta.dirname, '..');

/** A release has its version in place of that of the sources. */
const withVersion = (version) => ({
  name: 'version',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]apps[\\/]cli[\\/]src[\\/]version\.ts$/ }, () => ({
      contents: `export const version = ${JSON.stringify(version)};`,
    }));
  },
});

/**
 * Bundles the command into a few files, so that it starts fast: one entry, and a part for each command, loaded when used.
 *
 * @param {{ folder?: string, version?: string }} options where to, by default the package's `dist`
 */
export async function bundleCommand({ folder = join(root, 'dist'), version } = {}) {
  await rm(join(folder, 'chunks'), { recursive: true, force: true });
  await build({
    entryPoints: { tektite: join(root, 'src/main.ts') },
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    plugins: version === undefined ? [] : [withVersion(version)],
    // Names stay: stack traces are to be read, and giving shortened functions their names back takes time at each start.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Some dependencies are CommonJS and ask for Node's own modules by require.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  await buildPage(join(folder, 'page'));
}
