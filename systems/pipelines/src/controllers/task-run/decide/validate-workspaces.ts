import { quoteGo } from '@tektite/meta';
import type { TaskRunSpec } from '../../../kinds/task-run-spec.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import type { WorkspaceBinding, WorkspaceDeclaration } from '../../../kinds/workspace.ts';
import { validateBinding } from '../../../rules/validation/validate-workspaces.ts';
import { userError } from '../../../conditions/run-failure.ts';

const reason = 'TaskRunValidationFailed';

/** Whether every workspace of the Task that has to be bound is, and every binding belongs to one. */
export function validateWorkspaces(
  workspaces: readonly WorkspaceDeclaration[],
  bindings: readonly WorkspaceBinding[],
): void {
  for (const binding of bindings) {
    const errors = validateBinding(binding);
    if (errors && !errors.isEmpty) throw userError(reason, `binding ${quoteGo(binding.name)} is invalid: ${errors}`);
  }
  for (const { name, optional } of workspaces)
    if (!optional && !bindings.some((binding) => binding.name === name))
      throw userError(reason, `declared workspace ${quoteGo(name)} is required but has not been bound`);
  for (const { name } of bindings)
    if (!workspaces.some((workspace) => workspace.name === name))
      throw userError(reason, `workspace binding ${quoteGo(name)} does not match any declared workspace`);
}

/** Pods that share a claim have to run on its node; two claims may want two nodes. */
export function validateSingleClaim(bindings: readonly WorkspaceBinding[]): void {
  const claims = new Set<string>();
  for (const { name, persistentVolumeClaim, volumeClaimTemplate } of bindings) {
    if (persistentVolumeClaim) claims.add(persistentVolumeClaim.claimName);
    if (volumeClaimTemplate) claims.add(name);
  }
  if (claims.size > 1) throw userError(reason, 'more than one PersistentVolumeClaim is bound');
}

/** Whether what the run says about single steps and sidecars is about some that there are. */
export function validateOverrides({ steps = [], sidecars = [] }: TaskSpec, spec: TaskRunSpec): void {
  const unknown = (specs: readonly { readonly name: string }[] = [], among: readonly { readonly name?: string }[]) =>
    specs.map(({ name }) => name).filter((name) => !among.some((each) => each.name === name));
  const violations = [
    ...unknown(spec.stepSpecs, steps).map((name) => `invalid StepOverride: No Step named ${name}`),
    ...unknown(spec.sidecarSpecs, sidecars).map((name) => `invalid SidecarOverride: No Sidecar named ${name}`),
  ];
  if (violations.length > 0) throw userError(reason, violations.join('\n'));
}
