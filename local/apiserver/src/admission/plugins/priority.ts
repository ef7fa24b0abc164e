import { forbiddenError, type Mutable } from '@tektite/meta';
import type { Pod, PriorityClass } from '@tektite/schema/kubernetes';
import { errorTarget } from '../../registry/resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource } from '../admission.ts';

const systemClasses = new Set(['system-node-critical', 'system-cluster-critical']);
const prefix = '/registry/priorityclasses/';

/** Gives a Pod the priority of its class, or of the class that is the default, and guards that there is only one default. */
export function priority(storage: Storage): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(request) {
      if (request.operation !== 'CREATE' || !isResource(request, '', 'pods') || request.subresource !== '') return;
      setPriority(storage, request);
    },
    validate(request) {
      if (!isResource(request, 'scheduling.k8s.io', 'priorityclasses')) return;
      if (request.operation === 'DELETE') return guardSystemClass(request);
      const wanted = request.object as unknown as PriorityClass;
      if (!wanted.globalDefault) return;
      const other = findDefault(storage);
      if (other && other.metadata.name !== wanted.metadata.name) {
        throw forbiddenError(
          errorTarget(request.resource),
          request.name,
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        );
      }
    },
  };
}

function guardSystemClass({ resource, oldObject }: AdmissionRequest): void {
  const name = oldObject?.metadata.name ?? '';
  if (!systemClasses.has(name)) return;
  throw forbiddenError(errorTarget(resource), name, 'this is a system priority class and cannot be deleted');
}

function setPriority(storage: Storage, request: AdmissionRequest): void {
  const pod = request.object as Mutable<Pod>;
  if (!pod.spec) return;
  const refuse = (reason: string) => forbiddenError(errorTarget(request.resource), request.name, reason);
  const name = pod.spec.priorityClassName ?? '';
  const chosen =
    name === '' ? findDefault(storage) : (storage.latest(`${prefix}${name}`)?.value as PriorityClass | undefined);
  if (name !== '' && !chosen) throw refuse(`no PriorityClass with name ${name} was found`);
  if (chosen && name === '') pod.spec.priorityClassName = chosen.metadata.name as string;
  const value = chosen?.value ?? 0;
  if (pod.spec.priority !== undefined && pod.spec.priority !== value) {
    throw refuse(
      `the integer value of priority (${pod.spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  pod.spec.priority = value;
  const policy = chosen?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (pod.spec.preemptionPolicy !== undefined && pod.spec.preemptionPolicy !== policy) {
    throw refuse(
      `the string value of PreemptionPolicy (${pod.spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  pod.spec.preemptionPolicy = policy;
}

/** Of several defaults, which should not be, the smallest counts. */
function findDefault(storage: Storage): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const { value } of storage.list(prefix).entries) {
    const candidate = value as PriorityClass;
    if (candidate.globalDefault && (!found || candidate.value < found.value)) found = candidate;
  }
  return found;
}
