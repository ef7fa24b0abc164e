import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateQualifiedName,
  nameIsDnsSubdomain,
  type ObjectMeta,
  inclusiveRangeError,
  required,
  tooLong,
  validateLabels,
} from '@tektite/meta';
import type { PodResourceClaim, PodSpec } from '@tektite/schema/kubernetes';
import { checkDnsLabel, checkDnsSubdomain, checkRequiredSupported, checkText } from '../../field-checks.ts';
import { goValue } from '../../go-value/go-value.ts';
import { checkHostNetworkPorts } from './container-ports.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts';
import { validateDnsConfig, validateDnsPolicy, validateHostAliases } from './dns-config.ts';
import { checkFileKeyVolumes } from './environment.ts';
import { validateContainerResources, validatePodResources } from './resources.ts';
import { validatePodRestartPolicy } from './restart-policy.ts';
import {
  validateAffinity,
  validateSchedulingGates,
  validateSchedulingGroup,
  validateTolerations,
  validateTopologySpread,
} from './scheduling.ts';
import { validateHostUsers, validateOs, validatePodSecurityContext } from './security-context.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcess } from './windows-options.ts';

const maxInt32 = 2 ** 31 - 1;

/**
 * Validates a Pod or a Pod template, in upstream's order. `podMeta` is that of a Pod; a template has none, and is
 * allowed a little more.
 */
export function validatePodSpec(
  spec: PodSpec,
  podMeta: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldError[],
  isPod: boolean = podMeta !== undefined,
): void {
  if (spec.terminationGracePeriodSeconds === undefined)
    errors.push(required(path.child('terminationGracePeriodSeconds')));
  const volumes = validateVolumes(
    spec.volumes ?? [],
    { isPod, ...(podMeta && { podMeta }) },
    path.child('volumes'),
    errors,
  );
  const claims = spec.resourceClaims ?? [];
  validateResourceClaims(claims, podMeta, path.child('resourceClaims'), errors);
  const claimNames = claims.map(({ name }) => name).filter(Boolean);
  const rules = { spec, volumes, claimNames };
  validateContainers(rules, path.child('containers'), errors);
  validateInitContainers(rules, path.child('initContainers'), errors);
  validateEphemeralContainers(rules, path.child('ephemeralContainers'), errors);
  if (spec.resources) validatePodResources(spec, spec.resources, claimNames, path.child('resources'), errors);
  if (spec.hostNetwork) checkHostNetworkPorts(spec.containers ?? [], path.child('containers'), isPod, errors);
  validatePodRestartPolicy(spec.restartPolicy, path.child('restartPolicy'), errors);
  validateDnsPolicy(spec.dnsPolicy, path.child('dnsPolicy'), errors);
  errors.push(...validateLabels(spec.nodeSelector, path.child('nodeSelector')));
  validatePodSecurityContext(spec, path.child('securityContext'), errors);
  validateAffinity(spec.affinity, path.child('affinity'), errors);
  validateDnsConfig(spec, path.child('dnsConfig'), errors);
  for (const [i, gate] of (spec.readinessGates ?? []).entries())
    checkText(
      gate.conditionType ?? '',
      validateQualifiedName,
      path.child('readinessGates').index(i).child('conditionType'),
      errors,
    );
  validateSchedulingGates(spec.schedulingGates ?? [], path.child('schedulingGates'), errors);
  validateTopologySpread(spec.topologySpreadConstraints ?? [], path.child('topologySpreadConstraints'), errors);
  validateHostProcess(spec, path, errors);
  validateHostUsers(spec, path, errors);
  validateHostnameOverride(spec, path.child('hostnameOverride'), errors);
  validateNames(spec, path, errors);
  if (spec.preemptionPolicy !== undefined)
    checkRequiredSupported(
      spec.preemptionPolicy,
      ['PreemptLowerPriority', 'Never'],
      path.child('preemptionPolicy'),
      errors,
    );
  if (spec.overhead) validateContainerResources({ limits: spec.overhead }, [], path.child('overhead'), errors);
  validateOs(spec, path, errors);
  if (spec.schedulingGroup) validateSchedulingGroup(spec.schedulingGroup, path.child('schedulingGroup'), errors);
  checkFileKeyVolumes(spec, path, errors);
}

const subdomain = (name: string) => nameIsDnsSubdomain(name, false);

/** The fields that name something, and what stands between them in upstream's order. */
function validateNames(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const { activeDeadlineSeconds: deadline } = spec;
  if (spec.serviceAccountName) checkText(spec.serviceAccountName, subdomain, path.child('serviceAccountName'), errors);
  if (spec.nodeName) checkText(spec.nodeName, subdomain, path.child('nodeName'), errors);
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32))
    errors.push(invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRangeError(1, maxInt32)));
  if (spec.hostname) checkDnsLabel(spec.hostname, path.child('hostname'), errors);
  if (spec.subdomain) checkDnsLabel(spec.subdomain, path.child('subdomain'), errors);
  validateTolerations(spec.tolerations ?? [], path.child('tolerations'), errors);
  validateHostAliases(spec.hostAliases ?? [], path.child('hostAliases'), errors);
  if (spec.priorityClassName) checkText(spec.priorityClassName, subdomain, path.child('priorityClassName'), errors);
  if (spec.runtimeClassName !== undefined)
    checkText(spec.runtimeClassName, subdomain, path.child('runtimeClassName'), errors);
}

function validateHostnameOverride(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  if (spec.setHostnameAsFQDN) errors.push(forbidden(path, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork) errors.push(forbidden(path, 'may not be specified when hostNetwork is true'));
  if (name.length > 64) errors.push(tooLong(path, 64));
  checkDnsSubdomain(name, path, errors);
}

function validateResourceClaims(
  claims: readonly PodResourceClaim[],
  podMeta: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    if (podMeta?.annotations?.['kubernetes.io/config.mirror'] !== undefined) {
      errors.push(forbidden('[]', 'static pods do not support resource claims'));
      continue;
    }
    const at = path.index(i);
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === '') errors.push(required(at.child('name')));
    else if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else checkDnsLabel(name, at.child('name'), errors);
    names.add(name);
    const printed = goValue('PodResourceClaim', claim);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(invalid(at, printed, detail));
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      errors.push(invalid(at, printed, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    if (resourceClaimName !== undefined) checkText(resourceClaimName, subdomain, at.child('resourceClaimName'), errors);
    if (resourceClaimTemplateName !== undefined)
      checkText(resourceClaimTemplateName, subdomain, at.child('resourceClaimTemplateName'), errors);
  }
}
