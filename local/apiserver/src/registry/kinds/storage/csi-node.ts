import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  validateQualifiedName,
  required,
  utf8Length,
} from '@tektite/meta';
import type { CSINode, CSINodeDriver } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { checkImmutable, checkNonNegative, checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { csiNodeColumns } from './columns.ts';

const maxNodeIdLength = 256;
const path = FieldPath.of('spec', 'drivers');

function validateCsiNode({ spec }: CSINode): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [i, driver] of (spec?.drivers ?? []).entries()) validateDriver(driver, names, path.index(i), errors);
  return errors;
}

function validateDriver(driver: CSINodeDriver, names: Set<string>, at: FieldPath, errors: FieldError[]): void {
  const { name = '', nodeID = '', topologyKeys, allocatable } = driver;
  validateCsiDriverName(name, at.child('name'), errors);
  if (nodeID === '') errors.push(required(at.child('nodeID')));
  if (utf8Length(nodeID) > maxNodeIdLength)
    errors.push(invalid(at.child('nodeID'), nodeID, `must be ${maxNodeIdLength} characters or less`));
  checkNonNegative(allocatable?.count, at.child('allocatable', 'count'), errors);
  if (names.has(name)) errors.push(duplicate(at.child('name'), name));
  names.add(name);
  for (const [i, key] of (topologyKeys ?? []).entries()) {
    if (key === '') errors.push(required(at));
    if (topologyKeys?.indexOf(key) !== i) errors.push(duplicate(at, key));
    checkText(key, validateQualifiedName, at, errors);
  }
}

/** A driver stays as it registered itself, but for how many volumes the node can take. */
function validateChange(node: CSINode, old: CSINode): FieldError[] {
  const errors = validateCsiNode(node);
  const registered = ({ allocatable: _, ...rest }: CSINodeDriver) => rest;
  for (const before of old.spec?.drivers ?? [])
    for (const now of node.spec?.drivers ?? [])
      if (now.name === before.name)
        checkImmutable(registered(now), registered(before), path, errors, (driver) => goValue('CSINodeDriver', driver));
  return errors;
}

export const csiNodeStrategy: KindStrategy<CSINode> = {
  metadataRules: { onUpdate: 'create' },
  validateCreate: validateCsiNode,
  validateUpdate: validateChange,
  table: {
    columns: csiNodeColumns,
    row: (node, context) => [nameOf(node), node.spec?.drivers?.length ?? 0, ageOf(node, context)],
  },
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
};
