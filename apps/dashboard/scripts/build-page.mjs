// Builds the page into a folder: one script with a part for each page that is loaded when it is shown, the log worker, one style sheet.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const page = new URL('../page/', import.meta.url).pathname;

/** core/meta makes random bytes and hashes with Node's crypto. The page needs neither hashes nor names of child objects. */
const browserCrypto = {
  name: 'browser-crypto',
  setup(builder) {
    builder.onResolve({ filter: /^node:crypto$/ }, () => ({ path: `${page}browser-crypto.ts` }));
  },
};

/**
 * @param {string} folder where the files go; what is in it is removed
 * @returns {Promise<import('esbuild').Metafile>}
 */
export async function buildPage(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: { app: `${page}main.tsx`, 'log-worker': `${page}log-worker.ts`, style: `${page}style.css` },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome115', 'firefox115', 'safari16.4'],
    conditions: ['source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [browserCrypto],
    logLevel: 'warning',
  });
  const named = (entry) => {
    const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(entry));
    return `/${basename(path)}`;
  };
  const html = await readFile(`${page}index.html`, 'utf8');
  const replaced = html
    .replace('STYLE', named('page/style.css'))
    .replace('SCRIPT', named('page/main.tsx'))
    .replace('<html ', `<html data-worker="${named('page/log-worker.ts')}" `);
  await writeFile(join(folder, 'index.html'), replaced);
  await writeFile(join(folder, 'icon.svg'), await readFile(`${page}icon.svg`));
  return metafile;
}
