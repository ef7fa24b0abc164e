import { copyFile, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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

/** SQLite stays as it is, beside the bundle: it finds its WebAssembly in its own folder. Only chunks import it. */
const sqlite = {
  name: 'sqlite',
  setup(builder) {
    builder.onResolve({ filter: /^node-sqlite3-wasm$/ }, () => ({
      path: '../sqlite/node-sqlite3-wasm.cjs',
      external: true,
    }));
  },
};

async function copySqlite(folder) {
  const source = createRequire(join(root, '../../systems/results/package.json')).resolve('node-sqlite3-wasm');
  await mkdir(folder, { recursive: true });
  await copyFile(source, join(folder, 'node-sqlite3-wasm.cjs'));
  await copyFile(join(dirname(source), 'node-sqlite3-wasm.wasm'), join(folder, 'node-sqlite3-wasm.wasm'));
}

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
    plugins: [sqlite, ...(version === undefined ? [] : [withVersion(version)])],
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
  await copySqlite(join(folder, 'sqlite'));
  await buildPage(join(folder, 'page'));
}
