import { equalJson, type FieldError, FieldPath, forbidden } from '@tektite/meta';
import type { VolumeAttributesClass } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { volumeAttributesClassColumns } from './columns.ts';
import { validateParameters, validateProvisioner } from './parameters.ts';

function validateAttributesClass({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  validateProvisioner(driverName, FieldPath.of('driverName'), errors);
  validateParameters(parameters, false, FieldPath.of('parameters'), errors);
  return errors;
}

function validateChange(attributesClass: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  if (attributesClass.driverName !== old.driverName)
    errors.push(forbidden(FieldPath.of('driverName'), 'updates to driverName are forbidden.'));
  if (!equalJson(attributesClass.parameters ?? {}, old.parameters ?? {}))
    errors.push(forbidden(FieldPath.of('parameters'), 'updates to parameters are forbidden.'));
  return [...errors, ...validateAttributesClass(attributesClass)];
}

export const volumeAttributesClassStrategy: KindStrategy<VolumeAttributesClass> = {
  metadataRules: { onUpdate: 'both' },
  validateCreate: validateAttributesClass,
  validateUpdate: validateChange,
  table: {
    columns: volumeAttributesClassColumns,
    row: (attributesClass, context) => [
      nameOf(attributesClass),
      attributesClass.driverName,
      ageOf(attributesClass, context),
    ],
  },
  returnDeletedObject: true,
};
