import { type FieldError, FieldPath, invalid } from '@tektite/meta';
import { validateCounts } from './workload.ts';

const statusPath = FieldPath.of('status');

/** Also the rules of a ReplicationController, which reports the same counts. */
export function validateReplicaStatus(status: Readonly<Record<string, unknown>>): FieldError[] {
  const errors: FieldError[] = [];
  validateCounts(
    status,
    [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ],
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    statusPath,
    errors,
  );
  const { availableReplicas = 0, readyReplicas = 0 } = status as Record<string, number>;
  if (availableReplicas > readyReplicas)
    errors.push(
      invalid(statusPath.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas'),
    );
  return errors;
}
