import {
  describeObject,
  diffLines,
  type DiffLine,
  type Plan,
  type PlannedAction,
  type PlannedObject,
} from '@tektite/manifest';
import pc from 'picocolors';

const signs: Readonly<Record<PlannedAction, string>> = {
  create: pc.green('+'),
  update: pc.yellow('~'),
  recreate: pc.magenta('±'),
  prune: pc.red('-'),
  keep: pc.dim('='),
  none: pc.dim(' '),
  conflict: pc.red('!'),
  failed: pc.red('✗'),
};

const verbs: Readonly<Record<PlannedAction, string>> = {
  create: 'is created',
  update: 'changes',
  recreate: 'is deleted and recreated',
  prune: 'is deleted',
  keep: 'left the set, and stays',
  none: 'stays as it is',
  conflict: 'conflicts',
  failed: 'cannot be applied',
};

/** A plan for people. `full`: with all that is created and deleted, not only that it is. */
export function planText(plan: Plan, full: boolean): string {
  const lines = plan.objects.filter(({ action }) => action !== 'none').flatMap((each) => objectLines(each, full));
  for (const note of plan.notes) lines.push(pc.yellow(`note: ${note}`));
  lines.push(summary(plan));
  return `${lines.join('\n')}\n`;
}

function objectLines(object: PlannedObject, full: boolean): readonly string[] {
  const { reference, action, reason, conflicts = [], changes, before = '', after = '' } = object;
  const why = conflicts.length > 0 || !reason ? '' : pc.dim(`: ${reason}`);
  const head = `${signs[action]} ${describeObject(reference)} ${verbs[action]}${why}`;
  const owners = conflicts.map(({ manager, field }) => `    ${field} is owned by ${manager}`);
  const whole = action === 'create' || action === 'prune';
  if (changes.length === 0 || (whole && !full)) return [head, ...owners];
  return [head, ...owners, ...diffLines(before, after).map(diffLine)];
}

/** Some values are whole files in a line. */
const maxLineLength = 200;

function diffLine({ type, text: whole }: DiffLine): string {
  const text = whole.length > maxLineLength ? `${whole.slice(0, maxLineLength)}… (${whole.length} characters)` : whole;
  switch (type) {
    case 'added':
      return pc.green(`    + ${text}`);
    case 'removed':
      return pc.red(`    - ${text}`);
    case 'gap':
      return pc.dim('      …');
    default:
      return pc.dim(`      ${text}`);
  }
}

const words: readonly (readonly [PlannedAction, string])[] = [
  ['create', 'to create'],
  ['update', 'to change'],
  ['recreate', 'to recreate'],
  ['prune', 'to delete'],
  ['keep', 'kept'],
  ['conflict', 'in conflict'],
  ['failed', 'that cannot be applied'],
  ['none', 'unchanged'],
];

function summary({ objects }: Plan): string {
  const parts = words.flatMap(([action, word]) => {
    const count = objects.filter((object) => object.action === action).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  return pc.bold(`Plan: ${parts.join(', ')}`);
}
