import { type FieldError, FieldPath, invalid, type Mutable } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkNonNegative } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { leaseColumns } from './columns.ts';

function validateLease({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const { leaseDurationSeconds, leaseTransitions } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid(path.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0'));
  checkNonNegative(leaseTransitions, path.child('leaseTransitions'), errors);
  return errors;
}

/** Coordinated leader election is off by default, so its fields are dropped. */
function dropElection({ spec }: Mutable<Lease>): void {
  if (!spec) return;
  delete spec.strategy;
  delete spec.preferredHolder;
}

export const leaseStrategy: KindStrategy<Lease> = {
  metadataRules: { finalizers: 'any' },
  prepareForCreate: dropElection,
  prepareForUpdate: dropElection,
  validateCreate: validateLease,
  validateUpdate: validateLease,
  table: {
    columns: leaseColumns,
    row: (lease, context) => [nameOf(lease), lease.spec?.holderIdentity ?? '', ageOf(lease, context)],
  },
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
};
