#!/usr/bin/env -S node --max-semi-space-size=4
// A small young generation, and a collection when the old one has doubled: the server holds half as much memory for a few per cent of
// its speed. The second is set below, because it counts at any time and not every start reads the line above.
// This file must parse on old versions of Node, so that they get a sentence and not a SyntaxError.
import { existsSync } from 'fs';
import { setFlagsFromString } from 'v8';

const [major, minor] = process.versions.node.split('.').map(Number);
const bundle = new URL('../dist/tektite.js', import.meta.url);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`tektite needs Node.js 20.19 or later; this is ${process.versions.node} (${process.execPath}).`);
} else if (!existsSync(bundle)) {
  fail('tektite is not built yet: run `npm ci` (or `npm run build`) in the repository first.');
} else {
  setFlagsFromString('--heap-growing-percent=100');
  void import(bundle.href);
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}
