import type { Transform } from '@tektite/manifest';
import type { Performance } from '../kinds/shared-fields.ts';
import { configMapData } from './config-map-values.ts';
import { type DraftContainer, deploymentIn, putVariable, templateOf } from './workload.ts';

/** A controller whose performance can be set. */
export interface TunedController {
  readonly deployment: string;
  readonly container: string;
  /** The ConfigMap of its leader election. */
  readonly election: string;
}

/** The number of buckets, for the ConfigMap of a leader election. */
export function electionBuckets(name: string, performance: Performance | undefined): Transform {
  const { buckets } = performance ?? {};
  return configMapData(name, { buckets: buckets === undefined ? undefined : String(buckets) });
}

/** Only this one has the flag that turns high availability off. */
const canDisableHa = 'tekton-pipelines-controller';

/** Replicas and flags of a controller. Labels on its Pods have them recreated when the buckets change. */
export function tuneController(
  { deployment: name, container, election }: TunedController,
  performance: Performance,
): Transform {
  return function tuneController(draft) {
    const deployment = deploymentIn(draft, name);
    if (!deployment) return;
    const { spec } = deployment;
    const template = templateOf(spec);
    const { buckets, replicas } = performance;
    if (replicas !== undefined) spec.replicas = replicas;
    const labels: Record<string, string> = { ...template.metadata?.labels };
    if (buckets !== undefined) labels[`${election}.data.buckets`] = String(buckets);
    if (spec.replicas !== undefined) labels['deployment.spec.replicas'] = String(spec.replicas);
    template.metadata = { ...template.metadata, labels };
    for (const item of template.spec.containers as DraftContainer[])
      if (item.name === container) item.args = tunedArguments(item.args, performance, name);
  };
}

const flags = ['disable-ha', 'kube-api-burst', 'kube-api-qps', 'threads-per-controller'] as const;

function tunedArguments(given: readonly string[] | undefined, performance: Performance, deployment: string): string[] {
  const result = [...(given ?? [])];
  for (const flag of flags) {
    const value = flag === 'disable-ha' ? (performance[flag] ?? false) : performance[flag];
    if (value === undefined || (flag === 'disable-ha' && deployment !== canDisableHa)) continue;
    const argument = `-${flag}=${value}`;
    const index = result.findIndex((existing) => existing.startsWith(`-${flag}`));
    if (index < 0) result.push(argument);
    else result[index] = argument;
  }
  return result;
}

/** A Deployment as a StatefulSet, whose Pods know their numbers: each has its own share of the work, without elections. */
export function asStatefulSet(name: string): Transform {
  return function asStatefulSet(draft) {
    const deployment = deploymentIn(draft, name);
    if (!deployment) return undefined;
    const { selector, template, replicas } = deployment.spec;
    const [first] = templateOf(deployment.spec).spec.containers as DraftContainer[];
    if (first) {
      putVariable(first, { name: 'STATEFUL_SERVICE_NAME', value: name });
      putVariable(first, {
        name: 'STATEFUL_CONTROLLER_ORDINAL',
        valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
      });
    }
    return {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: draft.metadata,
      spec: {
        ...(replicas === undefined ? {} : { replicas }),
        selector,
        serviceName: name,
        template,
        updateStrategy: { type: 'RollingUpdate' },
      },
    };
  };
}
