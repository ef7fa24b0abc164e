/** Compiles the program that unpacks layers. The options are those of build-program.mjs. */
import { join } from 'node:path';
import { buildProgram } from '../../build-program.mjs';

const folder = join(import.meta.dirname, '..');
process.exitCode = buildProgram(
  folder,
  process.argv.slice(2),
  '`tektite image pull` will print the packages to install',
);
