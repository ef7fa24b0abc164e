/**
 * Compiles the entrypoint. `--define ENTRYPOINT_TEST_ROOT` is for tests: /tekton and /workspace below that folder. The other options
 * are those of build-program.mjs.
 */
import { join } from 'node:path';
import { buildProgram } from '../../build-program.mjs';

const folder = join(import.meta.dirname, '..');
process.exitCode = buildProgram(folder, process.argv.slice(2), '`tektite run` will print the packages to install');
