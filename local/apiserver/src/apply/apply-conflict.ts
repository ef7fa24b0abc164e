import { quoteGo, StatusError } from '@tektite/meta';
import { type FieldSet, intersectSets, membersOf } from './field-set.ts';
import { type ManagerEntry, managerKey, type Managers } from './managed-fields.ts';
import { formatFieldPath } from './path-element.ts';

/** A field that an apply would change and that another manager owns. */
export interface FieldConflict {
  readonly entry: ManagerEntry;
  readonly path: readonly string[];
}

/** Raised inside an apply; becomes a Status when nothing excuses it. */
export class ApplyConflictError extends Error {
  readonly conflicts: readonly FieldConflict[];
  constructor(conflicts: readonly FieldConflict[]) {
    super('conflicts');
    this.conflicts = conflicts;
  }
}

/** Every field among `changed` that one of the managers owns, manager by manager. */
export function findConflicts(managers: Managers, changed: FieldSet): FieldConflict[] {
  const conflicts: FieldConflict[] = [];
  for (const entry of [...managers.values()].sort((a, b) => (managerKey(a) < managerKey(b) ? -1 : 1))) {
    for (const path of membersOf(intersectSets(entry.set, changed))) conflicts.push({ entry, path });
  }
  return conflicts;
}

/** The 409 that lists the conflicts, in words and as causes. */
export function conflictStatus(conflicts: readonly FieldConflict[]): StatusError {
  const byManager = new Map<string, string[]>();
  for (const { entry, path } of conflicts) {
    const who = describeManager(entry);
    const paths = byManager.get(who);
    if (paths) paths.push(formatFieldPath(path));
    else byManager.set(who, [formatFieldPath(path)]);
  }
  const parts = [...byManager].map(([who, paths]) => `conflicts with ${who}:\n- ${paths.join('\n- ')}`);
  const [first] = byManager;
  const message =
    conflicts.length === 1 && first
      ? `Apply failed with 1 conflict: conflict with ${first[0]}: ${first[1][0]}`
      : `Apply failed with ${conflicts.length} conflicts: ${parts.join('\n')}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message,
    details: {
      causes: conflicts.map(({ entry, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${describeManager(entry)}`,
        field: formatFieldPath(path),
      })),
    },
  });
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  const through = subresource === '' ? '' : ` with subresource ${quoteGo(subresource)}`;
  return `${quoteGo(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
