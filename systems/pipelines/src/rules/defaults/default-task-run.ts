import { formatGoDuration } from '@tektite/go';
import type { TaskRef } from '../../kinds/resolver-reference.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { TaskRunSpec } from '../../kinds/task-run-spec.ts';
import { defaultTaskSpec } from './default-task.ts';
import { mergePodTemplate } from '../../pod/merge-pod-template.ts';
import type { Rules } from '../rules.ts';

const managedBy = 'app.kubernetes.io/managed-by';
/** Only Chains says that it signed something. */
const reservedAnnotation = 'chains.tekton.dev/';
const nanosecondsPerMinute = 60_000_000_000n;

/** A TaskRun with everything that it leaves to the settings. */
export function defaultTaskRun(run: TaskRun, rules: Rules): TaskRun {
  const { annotations, labels = {}, ...metadata } = run.metadata;
  const kept = annotations && rules.isCreate ? withoutReserved(annotations) : annotations;
  return {
    ...run,
    metadata: {
      ...metadata,
      ...(kept && Object.keys(kept).length > 0 ? { annotations: kept } : {}),
      labels: Object.hasOwn(labels, managedBy)
        ? labels
        : { ...labels, [managedBy]: rules.defaults.managedByLabelValue },
    },
    spec: defaultTaskRunSpec(run.spec, rules),
  };
}

/** Annotations that users may set. */
export function withoutReserved(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith(reservedAnnotation)));
}

function defaultTaskRunSpec(spec: TaskRunSpec, rules: Rules): TaskRunSpec {
  const { defaults } = rules;
  const podTemplate = mergePodTemplate(spec.podTemplate, defaults.podTemplate);
  return {
    ...spec,
    ...(spec.taskRef ? { taskRef: defaultTaskRef(spec.taskRef, rules) } : {}),
    ...(spec.taskSpec ? { taskSpec: defaultTaskSpec(spec.taskSpec, rules) } : {}),
    timeout: spec.timeout ?? formatGoDuration(BigInt(defaults.timeoutMinutes) * nanosecondsPerMinute),
    serviceAccountName: spec.serviceAccountName || defaults.serviceAccount,
    ...(podTemplate ? { podTemplate } : {}),
  };
}

export function defaultTaskRef(ref: TaskRef, { defaults }: Rules): TaskRef {
  const resolver = ref.resolver ?? (ref.name ? '' : defaults.resolverType);
  if (resolver !== '') return { ...ref, resolver };
  return ref.kind ? ref : { ...ref, kind: 'Task' };
}
