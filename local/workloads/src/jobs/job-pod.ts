import type { NewObject } from '@tektite/client';
import type { Container, Job, Pod } from '@tektite/schema/kubernetes';
import { podFromTemplate } from '../pods/pod-from-template.ts';

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';
const maxPrefixLength = 58;

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

/** Which part of an indexed Job the Pod does. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** A Pod of a Job. It cannot go before it was counted: the finalizer sees to that. */
export function jobPod(
  job: Job,
  index: number | undefined,
  annotations: Readonly<Record<string, string>> = {},
): NewObject<Pod> {
  const pod = podFromTemplate(job, job.spec?.template ?? {});
  const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } };
  const { name = '' } = job.metadata;
  const suffix = `-${index}-`;
  const mark = { [indexKey]: String(index) };
  return {
    metadata: {
      ...pod.metadata,
      generateName: `${name.slice(0, maxPrefixLength - suffix.length)}${suffix}`,
      labels: { ...pod.metadata.labels, ...mark },
      annotations: { ...pod.metadata.annotations, ...mark, ...annotations },
      finalizers,
    },
    ...(pod.spec
      ? {
          spec: {
            ...pod.spec,
            hostname: `${name}-${index}`,
            containers: (pod.spec.containers ?? []).map(withIndex),
            ...(pod.spec.initContainers ? { initContainers: pod.spec.initContainers.map(withIndex) } : {}),
          },
        }
      : {}),
  };
}

function withIndex(container: Container): Container {
  const variable = 'JOB_COMPLETION_INDEX';
  if (container.env?.some(({ name }) => name === variable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexKey}']` };
  return { ...container, env: [...(container.env ?? []), { name: variable, valueFrom: { fieldRef } }] };
}
