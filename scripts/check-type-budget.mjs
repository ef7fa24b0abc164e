// Checks how much work the types of kinds give to the compiler. The budget counts instantiations of types, which are the same on
// every machine; the time is printed beside it. A change that needs more says why in docs/design/0011-kinds.md.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const budgets = { 'core/schema': 60_000, 'systems/pipelines': 200_000 };

let isOver = false;
for (const [room, budget] of Object.entries(budgets)) {
  const options = ['--noEmit', '--incremental', 'false', '--composite', 'false', '--extendedDiagnostics'];
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', room, ...options], {
    cwd: root,
    encoding: 'utf8',
  });
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1] ?? Number.NaN);
  const time = /^Check time:\s+(\S+)/m.exec(stdout)?.[1] ?? 'unknown';
  const isWithin = status === 0 && instantiations <= budget;
  isOver ||= !isWithin;
  console.log(
    `${room}: ${instantiations} instantiations of ${budget}, ${time}${isWithin ? '' : ': too many, or errors'}`,
  );
}
process.exit(isOver ? 1 : 0);
