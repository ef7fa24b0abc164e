import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validateQualifiedName,
  validateUserId,
  nameIsDnsSubdomain,
} from '@tektite/meta';
import type { ContainerStatus, Pod, PodCondition, PodSpec } from '@tektite/schema/kubernetes';
import { checkImmutable, checkText } from '../../field-checks.ts';
import { goList } from '../../go-value/go-value.ts';
import { isDualStack, validateIp } from '../../network/validate-ip.ts';
import { validateAnnotationUpdate } from './validate-pod-update.ts';
import { emptyPodSpec } from './validate-pod.ts';

const path = FieldPath.of('status');
const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Validates a status update of a kubelet. */
export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors: FieldError[] = [];
  const status = pod.status ?? {};
  const before = old.status ?? {};
  validateAnnotationUpdate(pod, old, errors);
  validateConditions(status.conditions ?? [], errors);
  const nominated = status.nominatedNodeName ?? '';
  const nominatedPath = path.child('nominatedNodeName');
  if (nominated !== (before.nominatedNodeName ?? '') && nominated !== '') {
    checkText(nominated, (name) => nameIsDnsSubdomain(name, false), nominatedPath, errors);
    if (old.spec?.nodeName)
      errors.push(forbidden(nominatedPath, 'may not be set on pods that are already bound to a node'));
  }
  if ((status.observedGeneration ?? 0) < 0)
    errors.push(invalid(path.child('observedGeneration'), status.observedGeneration, 'must be a non-negative integer'));
  checkImmutable(status.qosClass ?? '', before.qosClass ?? '', path.child('qosClass'), errors);
  for (const list of lists)
    validateTransitions(status[list] ?? [], before[list] ?? [], list, old.spec ?? emptyPodSpec, errors);
  validateClaimStatuses(pod, errors);
  validateAddresses(status.podIPs, before.podIPs, 'PodIP', path.child('podIPs'), errors);
  const hostIps = status.hostIPs ?? [];
  if (hostIps.length > 0 && (status.hostIP ?? '') !== hostIps[0]?.ip)
    errors.push(invalid(path.child('hostIPs').index(0).child('ip'), hostIps[0]?.ip, 'must be equal to `hostIP`'));
  validateAddresses(status.hostIPs, before.hostIPs, 'HostIP', path.child('hostIPs'), errors);
  for (const list of lists) validateUsers(status[list] ?? [], pod.spec?.os?.name, path.child(list), errors);
  return errors;
}

function validateConditions(conditions: readonly PodCondition[], errors: FieldError[]): void {
  for (const [i, { type = '', observedGeneration = 0 }] of conditions.entries()) {
    const at = path.child('conditions').index(i);
    if (observedGeneration < 0)
      errors.push(invalid(at.child('observedGeneration'), observedGeneration, 'must be a non-negative integer'));
    if (!['PodScheduled', 'Ready', 'Initialized'].includes(type))
      checkText(type, validateQualifiedName, at.child('Type'), errors);
  }
}

/** A container that ended does not come back, unless its restart policy lets it. */
function validateTransitions(
  statuses: readonly ContainerStatus[],
  old: readonly ContainerStatus[],
  list: (typeof lists)[number],
  spec: PodSpec,
  errors: FieldError[],
): void {
  if (list !== 'ephemeralContainerStatuses' && restartsAll(spec)) return;
  for (const [i, before] of old.entries()) {
    const ended = before.state?.terminated;
    const now = statuses.find(({ name }) => name === before.name);
    if (!ended || !now || now.state?.terminated) continue;
    const containers = list === 'containerStatuses' ? spec.containers : spec.initContainers;
    const container =
      list === 'ephemeralContainerStatuses' ? undefined : containers?.find(({ name }) => name === before.name);
    if (container && shouldRestart(container, spec, ended.exitCode)) continue;
    errors.push(forbidden(path.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state'));
  }
}

function restartsAll(spec: PodSpec): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some((container) =>
    container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

function shouldRestart(
  container: NonNullable<PodSpec['initContainers']>[number],
  spec: PodSpec,
  exitCode: number,
): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes && (exitCodes.operator === 'In' ? listed : !listed)) return action === 'Restart';
  }
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function validateClaimStatuses(pod: Pod, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, { name, resourceClaimName }] of (pod.status?.resourceClaimStatuses ?? []).entries()) {
    const at = path.child('resourceClaimStatuses').index(i);
    if (!pod.spec?.resourceClaims?.some((claim) => claim.name === name))
      errors.push(invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (resourceClaimName !== undefined)
      checkText(resourceClaimName, (text) => nameIsDnsSubdomain(text, false), at.child('resourceClaimName'), errors);
  }
}

type Address = { readonly ip?: string };

function validateAddresses(
  addresses: readonly Address[] = [],
  old: readonly Address[] = [],
  type: 'PodIP' | 'HostIP',
  at: FieldPath,
  errors: FieldError[],
): void {
  const known = old.map(({ ip }) => ip ?? '');
  const ips = addresses.map(({ ip }) => ip ?? '');
  for (const [i, ip] of ips.entries()) validateIp(ip, at.index(i), errors, known);
  if (ips.length > 1 && (ips.length > 2 || !isDualStack(ips)))
    errors.push(invalid(at, goList(type, addresses), 'may specify no more than one IP for each IP family'));
}

function validateUsers(
  statuses: readonly ContainerStatus[],
  os: string | undefined,
  at: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, { user }] of statuses.entries()) {
    const linux = user?.linux;
    if (!linux) continue;
    const userPath = at.index(i).child('user', 'linux');
    if (os === 'windows') {
      errors.push(forbidden(userPath, 'cannot be set for a windows pod'));
      continue;
    }
    const check = (id: number, idPath: FieldPath) => {
      for (const violation of validateUserId(id)) errors.push(invalid(idPath, id, violation));
    };
    check(linux.uid, userPath.child('uid'));
    check(linux.gid, userPath.child('gid'));
    for (const [j, group] of (linux.supplementalGroups ?? []).entries())
      check(group, userPath.child('supplementalGroups').index(j));
  }
}
