#!/usr/bin/env -S node --max-semi-space-size=4
// A small young generation: the server holds a third less memory for a few per cent of its speed.
import { existsSync } from 'node:fs';

const bundle = new URL('../dist/tektite.js', import.meta.url);
if (existsSync(bundle)) {
  await import(bundle.href);
} else {
  console.error('tektite is not built yet: run `npm ci` (or `npm run build`) in the repository first.');
  process.exitCode = 1;
}
