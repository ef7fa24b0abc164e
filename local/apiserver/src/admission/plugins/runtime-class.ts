import { equalJson, type Mutable, quoteGo } from '@tektite/meta';
import type { Pod, RuntimeClass, Toleration } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource, admissionForbidden } from '../admission.ts';

/** A Pod with a RuntimeClass carries what the class costs, and goes where the class is available. */
export function runtimeClass(storage: Storage): AdmissionPlugin {
  const isNewPod = (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isResource(request, '', 'pods') && request.subresource === '' && request.object;
  const classOf = (request: AdmissionRequest, name: string | undefined): RuntimeClass | undefined => {
    if (name === undefined) return undefined;
    const entry = storage.latest(`/registry/runtimeclasses/${name}`);
    if (!entry) throw admissionForbidden(request, `pod rejected: RuntimeClass ${quoteGo(name)} not found`);
    return entry.value as RuntimeClass;
  };
  return {
    name: 'RuntimeClass',
    mutate(request) {
      if (!isNewPod(request)) return;
      const pod = request.object as Mutable<Pod>;
      const found = classOf(request, pod.spec?.runtimeClassName);
      if (!found) return;
      setOverhead(request, pod, found);
      setScheduling(request, pod, found);
    },
    validate(request) {
      if (!isNewPod(request)) return;
      const { spec } = request.object as Pod;
      const overhead = classOf(request, spec?.runtimeClassName)?.overhead;
      if (overhead && !equalJson(overhead.podFixed ?? {}, spec?.overhead ?? {})) throw mismatch(request);
      if (!overhead && spec?.overhead !== undefined)
        throw admissionForbidden(
          request,
          'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
        );
    },
  };
}

function mismatch(request: AdmissionRequest): Error {
  return admissionForbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setOverhead(request: AdmissionRequest, pod: Mutable<Pod>, { overhead }: RuntimeClass): void {
  if (!overhead || !pod.spec) return;
  const given = pod.spec.overhead ?? {};
  if (Object.keys(given).length > 0 && !equalJson(given, overhead.podFixed ?? {})) throw mismatch(request);
  if (overhead.podFixed) pod.spec.overhead = { ...overhead.podFixed };
}

function setScheduling(request: AdmissionRequest, pod: Mutable<Pod>, { scheduling }: RuntimeClass): void {
  if (!scheduling || !pod.spec) return;
  const selector = pod.spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {}))
    if (selector[key] !== undefined && selector[key] !== value)
      throw admissionForbidden(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${selector[key]}`,
      );
  if (scheduling.nodeSelector || pod.spec.nodeSelector)
    pod.spec.nodeSelector = { ...selector, ...scheduling.nodeSelector };
  const tolerations = mergeTolerations([...(pod.spec.tolerations ?? []), ...(scheduling.tolerations ?? [])]);
  if (tolerations.length > 0) pod.spec.tolerations = tolerations as Mutable<Toleration>[];
}

/** Leaves out tolerations that another one includes. */
function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  all.forEach((toleration, index) => {
    if (merged.some((other) => includes(other, toleration))) return;
    const later = all.slice(index + 1);
    if (later.some((other) => !equalJson(other, toleration) && includes(other, toleration))) return;
    merged.push(toleration);
  });
  return merged;
}

function includes(wider: Toleration, narrower: Toleration): boolean {
  if (equalJson(wider, narrower)) return true;
  if (narrower.key !== wider.key && (wider.key || wider.operator !== 'Exists')) return false;
  if (narrower.effect !== wider.effect && wider.effect) return false;
  if (wider.effect === 'NoExecute' && wider.tolerationSeconds !== undefined) {
    const { tolerationSeconds } = narrower;
    if (tolerationSeconds === undefined || tolerationSeconds > wider.tolerationSeconds) return false;
  }
  if (wider.operator === 'Exists') return true;
  return narrower.operator === 'Equal' && narrower.value === wider.value;
}
