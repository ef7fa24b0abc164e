import { controllerOf, type FieldError, FieldPath, formatGroupKind, parseApiVersion, required } from '@tektite/meta';
import type { ControllerRevision } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkImmutable, checkNonNegative } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { controllerRevisionColumns } from './columns.ts';

function validateRevision({ revision }: ControllerRevision): FieldError[] {
  const errors: FieldError[] = [];
  checkNonNegative(revision, FieldPath.of('revision'), errors);
  return errors;
}

function controllerName(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (!owner) return '<none>';
  const group = parseApiVersion(owner.apiVersion)?.group ?? '';
  return `${formatGroupKind(group, owner.kind).toLowerCase()}/${owner.name}`;
}

export const controllerRevisionStrategy: KindStrategy<ControllerRevision> = {
  metadataRules: { onUpdate: 'both' },
  validateCreate(revision) {
    const errors = validateRevision(revision);
    const { data } = revision;
    if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'));
    else if (typeof data !== 'object' || Array.isArray(data))
      errors.push(required('data', 'data must be a valid JSON object'));
    return errors;
  },
  validateUpdate(revision, old) {
    const errors = validateRevision(revision);
    checkImmutable(revision.data, old.data, FieldPath.of('data'), errors);
    return errors;
  },
  table: {
    columns: controllerRevisionColumns,
    row: (revision, context) => [
      nameOf(revision),
      controllerName(revision),
      revision.revision ?? 0,
      ageOf(revision, context),
    ],
  },
};
