import { duplicate, type FieldError, FieldPath, validateQualifiedName, notSupported, required } from '@tektite/meta';
import type { StorageClass, TopologySelectorLabelRequirement, TopologySelectorTerm } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { deprecatedLabel } from '../core/node-labels.ts';
import { checkImmutable, checkText } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { storageClassColumns } from './columns.ts';
import { sortedLabels } from '../core/workload.ts';
import { validateParameters, validateProvisioner } from './parameters.ts';

function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const errors: FieldError[] = [];
  const { reclaimPolicy, volumeBindingMode } = storageClass;
  validateProvisioner(storageClass.provisioner, FieldPath.of('provisioner'), errors);
  validateParameters(storageClass.parameters, true, FieldPath.of('parameters'), errors);
  if (reclaimPolicy && !['Delete', 'Retain'].includes(reclaimPolicy))
    errors.push(notSupported(FieldPath.of('reclaimPolicy'), reclaimPolicy, ['Delete', 'Retain']));
  if (volumeBindingMode === undefined) errors.push(required(FieldPath.of('volumeBindingMode')));
  else if (!['Immediate', 'WaitForFirstConsumer'].includes(volumeBindingMode))
    errors.push(
      notSupported(FieldPath.of('volumeBindingMode'), volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
    );
  validateTopologies(storageClass.allowedTopologies ?? [], FieldPath.of('allowedTopologies'), errors);
  return errors;
}

function validateTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath, errors: FieldError[]): void {
  // Upstream starts with one empty term per term, so that a term that selects nothing is a duplicate of each.
  const seen = new Map([[keyOf(new Map()), terms.length]]);
  for (const [i, { matchLabelExpressions = [] }] of terms.entries()) {
    const at = path.index(i).child('matchLabelExpressions');
    const term = new Map<string, string[]>();
    for (const [j, requirement] of matchLabelExpressions.entries()) {
      const { key = '', values } = requirement;
      validateRequirement(requirement, at.index(j), errors);
      if (term.has(key)) errors.push(duplicate(at.index(j).child('key'), key));
      term.set(key, [...new Set(values ?? [])].sort());
    }
    const equal = seen.get(keyOf(term)) ?? 0;
    for (let times = equal; times > 0 && errors.length < maxErrors; times--) errors.push(duplicate(at, ''));
    seen.set(keyOf(term), equal + 1);
  }
}

/** Each term can be a duplicate of each other one. */
const maxErrors = 10_000;

function keyOf(term: ReadonlyMap<string, readonly string[]>): string {
  return JSON.stringify([...term].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validateRequirement(
  { key = '', values }: Partial<TopologySelectorLabelRequirement>,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!values?.length) errors.push(required(path.child('values')));
  const seen = new Set<string>();
  for (const [i, value] of (values ?? []).entries()) {
    if (seen.has(value)) errors.push(duplicate(path.child('values').index(i), value));
    seen.add(value);
  }
  checkText(key, validateQualifiedName, path.child('key'), errors);
}

function validateChange(storageClass: StorageClass, old: StorageClass): FieldError[] {
  const errors = validateStorageClass(storageClass);
  checkImmutable(storageClass.parameters, old.parameters, FieldPath.of('parameters'), errors, () =>
    storageClass.parameters ? sortedLabels(storageClass.parameters) : null,
  );
  for (const field of ['provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const)
    checkImmutable(storageClass[field], old[field], FieldPath.of(field), errors);
  return errors;
}

function storageClassWarnings({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const message = deprecatedLabel(key);
      const path = FieldPath.of('allowedTopologies').index(i).child('matchLabelExpressions').index(j).child('key');
      return message === undefined ? [] : [`${path}: ${message}`];
    }),
  );
}

function isDefault({ metadata: { annotations = {} } }: StorageClass): boolean {
  return ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].some(
    (annotation) => annotations[annotation] === 'true',
  );
}

export const storageClassStrategy: KindStrategy<StorageClass> = {
  metadataRules: { onUpdate: 'both' },
  default(storageClass) {
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  },
  validateCreate: validateStorageClass,
  validateUpdate: validateChange,
  warnings: storageClassWarnings,
  table: {
    columns: storageClassColumns,
    row: (storageClass, context) => [
      isDefault(storageClass) ? `${nameOf(storageClass)} (default)` : nameOf(storageClass),
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? 'Delete',
      storageClass.volumeBindingMode ?? 'Immediate',
      storageClass.allowVolumeExpansion ?? false,
      ageOf(storageClass, context),
    ],
  },
  returnDeletedObject: true,
};
