import {
  type FieldError,
  FieldPath,
  invalid,
  nameIsDnsSubdomain,
  Quantity,
  validateLabelSelector,
} from '@tektite/meta';
import type { CSIStorageCapacity } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { deprecatedLabel } from '../core/node-labels.ts';
import { checkImmutable, checkText } from '../field-checks.ts';
import { printableSelector } from '../go-value/go-value.ts';
import { nameOf } from '../table/cells.ts';
import { csiStorageCapacityColumns } from './columns.ts';

function validateCapacity({ nodeTopology, storageClassName = '', capacity }: CSIStorageCapacity): FieldError[] {
  const errors = [...validateLabelSelector(nodeTopology, FieldPath.of('nodeTopology'))];
  checkText(storageClassName, (name) => nameIsDnsSubdomain(name, false), FieldPath.of('storageClassName'), errors);
  if (capacity !== undefined && Quantity.parse(capacity).compare(Quantity.of(0)) < 0)
    errors.push(invalid(FieldPath.of('capacity'), capacity, 'must be greater than or equal to 0'));
  return errors;
}

function validateChange(capacity: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  const errors = validateCapacity(capacity);
  checkImmutable(capacity.nodeTopology, old.nodeTopology, FieldPath.of('nodeTopology'), errors, () =>
    printableSelector(capacity.nodeTopology),
  );
  checkImmutable(capacity.storageClassName, old.storageClassName, FieldPath.of('storageClassName'), errors);
  return errors;
}

function topologyWarnings({ nodeTopology }: CSIStorageCapacity): string[] {
  const path = FieldPath.of('nodeTopology');
  const warnings: string[] = [];
  for (const [i, { key }] of (nodeTopology?.matchExpressions ?? []).entries()) {
    const message = deprecatedLabel(key);
    if (message !== undefined)
      warnings.push(`${path.child('matchExpressions').index(i).child('key')}: ${key} is ${message}`);
  }
  for (const label in nodeTopology?.matchLabels) {
    const message = deprecatedLabel(label);
    if (message !== undefined) warnings.push(`${path.child('matchLabels', label)}: ${message}`);
  }
  return warnings;
}

export const csiStorageCapacityStrategy: KindStrategy<CSIStorageCapacity> = {
  metadataRules: { onUpdate: 'both' },
  validateCreate: validateCapacity,
  validateUpdate: validateChange,
  warnings: topologyWarnings,
  table: {
    columns: csiStorageCapacityColumns,
    row: (capacity) => [nameOf(capacity), capacity.storageClassName, capacity.capacity ?? '<unset>'],
  },
  allowUnconditionalUpdate: false,
};
