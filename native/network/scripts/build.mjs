/** Compiles the program that makes the network of Pods. The options are those of build-program.mjs. */
import { join } from 'node:path';
import { buildProgram } from '../../build-program.mjs';

const folder = join(import.meta.dirname, '..');
process.exitCode = buildProgram(folder, process.argv.slice(2), 'Pods use the network of the machine');
