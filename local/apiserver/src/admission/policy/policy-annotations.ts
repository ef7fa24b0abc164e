import type { AdmissionRequest } from '../admission.ts';
import type { PolicyViolation } from './evaluate-policy.ts';
import type { CompiledBinding, CompiledPolicy } from './validating-policy.ts';

/** The audit annotations of one policy: values that its bindings give to the same key are joined, each once. */
export class PolicyAnnotations {
  private readonly values = new Map<string, Set<string>>();

  add(annotations: readonly (readonly [key: string, value: string])[]): void {
    for (const [key, value] of annotations) this.values.set(key, (this.values.get(key) ?? new Set()).add(value));
  }

  publish(policy: string, { annotate }: AdmissionRequest): void {
    for (const [key, values] of this.values) annotate?.(`${policy}/${key}`, [...values].join(', '));
  }
}

/** Records the violations of a binding with the action `Audit`. As upstream, only the first of a request is kept. */
export function annotateViolations(
  { annotate }: AdmissionRequest,
  policy: CompiledPolicy,
  binding: CompiledBinding,
  violations: readonly PolicyViolation[],
): void {
  for (const { message, index } of annotate ? violations : []) {
    const value = {
      message,
      policy: policy.name,
      binding: binding.name,
      expressionIndex: index,
      validationActions: binding.actions,
    };
    annotate?.('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([value]));
  }
}
