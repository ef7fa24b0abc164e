// Vitest's global setup: bundles the command again when a source file is newer than the bundle. Tests start the command as users do,
// from the bundle, and must not run the source of yesterday.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRooms } from '../../../scripts/layers/rooms.mjs';
import { isTestFile, sourceFiles } from '../../../scripts/layers/source-files.mjs';

const root = new URL('../../..', import.meta.url).pathname;
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Test runs that are restricted to other rooms do not start the command. */
function startsCommand(args) {
  const filters = args.filter((word) => !word.startsWith('-') && word !== 'run' && !word.endsWith('.config.ts'));
  return filters.length === 0 || filters.some((filter) => /apps|\bcli\b/.test(filter));
}

function isStale() {
  const built = modified(join(root, 'apps/cli/dist/tektite.js'));
  const styles = join(root, 'apps/dashboard/page/styles');
  if (readdirSync(styles).some((name) => modified(join(styles, name)) > built)) return true;
  return readRooms(root).some(({ path }) =>
    [...sourceFiles(join(root, path))].some((file) => !isTestFile(file) && modified(file) > built),
  );
}

export async function setup() {
  if (startsCommand(process.argv.slice(2)) && isStale()) await import('./bundle.mjs');
}
