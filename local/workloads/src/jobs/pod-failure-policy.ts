import type { Job, Pod, PodFailurePolicyRule } from '@tektite/schema/kubernetes';

/** The action of a Job's policy for a failed Pod. `Count` also applies where no rule matches. */
export interface FailureAction {
  readonly action: 'Count' | 'Ignore' | 'FailJob' | 'FailIndex';
  readonly message: string;
}

const count: FailureAction = { action: 'Count', message: '' };

/** The first rule that matches decides. */
export function failureActionOf({ spec }: Job, pod: Pod): FailureAction {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const reason = matchingExit(rule, pod) ?? matchingCondition(rule, pod);
    if (reason === undefined) continue;
    const { namespace, name } = pod.metadata;
    const subject = reason.container
      ? `Container ${reason.container} for pod ${namespace}/${name}`
      : `Pod ${namespace}/${name}`;
    const message = `${subject} ${reason.text} matching ${rule.action} rule at index ${index}`;
    if (rule.action === 'FailJob' || rule.action === 'Ignore' || rule.action === 'FailIndex')
      return { action: rule.action, message };
    return count;
  }
  return count;
}

interface Match {
  readonly container?: string;
  readonly text: string;
}

function matchingExit({ onExitCodes }: PodFailurePolicyRule, { status }: Pod): Match | undefined {
  if (!onExitCodes) return undefined;
  for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0) continue;
    if (onExitCodes.containerName && onExitCodes.containerName !== name) continue;
    const listed = onExitCodes.values?.includes(exitCode) ?? false;
    if (listed === (onExitCodes.operator === 'In'))
      return { container: name, text: `failed with exit code ${exitCode}` };
  }
  return undefined;
}

function matchingCondition({ onPodConditions }: PodFailurePolicyRule, { status }: Pod): Match | undefined {
  for (const wanted of onPodConditions ?? []) {
    const found = status?.conditions?.find(({ type }) => type === wanted.type);
    if (found && found.status === (wanted.status ?? 'True')) return { text: `has condition ${wanted.type}` };
  }
  return undefined;
}
