import type { TaskRunSpec } from '../kinds/task-run-spec.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import type { WorkspaceBinding } from '../kinds/workspace.ts';
import { userError } from './run-failure.ts';

const reason = 'TaskRunValidationFailed';

/** Whether every workspace of the Task that has to be bound is, and every binding belongs to one. */
export function validateWorkspaces({ workspaces = [] }: TaskSpec, bindings: readonly WorkspaceBinding[]): void {
  for (const { name, optional } of workspaces)
    if (!optional && !bindings.some((binding) => binding.name === name))
      throw userError(reason, `declared workspace "${name}" is required but has not been bound`);
  for (const { name } of bindings)
    if (!workspaces.some((workspace) => workspace.name === name))
      throw userError(reason, `workspace binding "${name}" does not match any declared workspace`);
}

/** Pods that share a claim have to run on its node; two claims may want two nodes. */
export function validateSingleClaim(bindings: readonly WorkspaceBinding[]): void {
  const claims = new Set<string>();
  for (const { name, persistentVolumeClaim, volumeClaimTemplate } of bindings) {
    if (persistentVolumeClaim) claims.add(persistentVolumeClaim.claimName);
    else if (volumeClaimTemplate) claims.add(`template of ${name}`);
  }
  if (claims.size > 1) throw userError(reason, 'more than one PersistentVolumeClaim is bound');
}

/** Whether what the run says about single steps and sidecars is about some that there are. */
export function validateOverrides({ steps = [], sidecars = [] }: TaskSpec, spec: TaskRunSpec): void {
  for (const { name } of spec.stepSpecs ?? [])
    if (!steps.some((step) => step.name === name))
      throw userError(reason, `invalid StepOverride: No Step named ${name}`);
  for (const { name } of spec.sidecarSpecs ?? [])
    if (!sidecars.some((sidecar) => sidecar.name === name))
      throw userError(reason, `invalid SidecarOverride: No Sidecar named ${name}`);
}
