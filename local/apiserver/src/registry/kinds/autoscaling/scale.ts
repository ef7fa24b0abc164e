import { type FieldError, FieldPath } from '@tektite/meta';
import type { Scale } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkNonNegative } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { scaleColumns } from './columns.ts';

function validateScale({ spec }: Scale): FieldError[] {
  const errors: FieldError[] = [];
  checkNonNegative(spec?.replicas, FieldPath.of('spec', 'replicas'), errors);
  return errors;
}

export const scaleStrategy: KindStrategy<Scale> = {
  validateUpdate: validateScale,
  table: {
    columns: scaleColumns,
    row: (scale, context) => [
      nameOf(scale),
      scale.spec?.replicas ?? 0,
      scale.status?.replicas ?? 0,
      ageOf(scale, context),
    ],
  },
};
