import type { Mutable } from '@tektite/meta';
import type {
  Container,
  EphemeralContainer,
  Pod,
  PodSpec,
  Probe,
  ResourceRequirements,
} from '@tektite/schema/kubernetes';
import { isHugePages, isOvercommitAllowed } from '../resource-names.ts';
import { roundResources } from '../resource-list-defaults.ts';
import { aggregateContainerLimits, aggregateContainerRequests } from './aggregate-resources.ts';
import { imageTag } from './image-reference.ts';
import { defaultVolume } from './volume-defaults.ts';

type AnyContainer = Mutable<Container> | Mutable<EphemeralContainer>;

/** Fills in a Pod. Unlike a Pod in a template it gets requests from limits, and service links. */
export function defaultPod(pod: Mutable<Pod>): void {
  pod.spec ??= { containers: null };
  const { spec } = pod;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
    defaultRequests(container.resources);
  defaultPodResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork)
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
      for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  // A negative grace period is read as the shortest one.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  defaultPodSpec(spec);
  const { status } = pod;
  if (status?.podIP && status.podIPs?.[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  else if (status?.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip;
}

function defaultRequests(resources: Mutable<ResourceRequirements> | undefined): void {
  if (!resources?.limits) return;
  const requests: Record<string, string> = { ...resources.requests };
  for (const [name, limit] of Object.entries(resources.limits)) requests[name] ??= limit;
  resources.requests = requests;
}

/** Limits and requests of the Pod as a whole follow from those of its containers. */
function defaultPodResources(spec: Mutable<PodSpec>): void {
  const { resources } = spec;
  if (!resources) return;
  const { limits = {}, requests = {} } = resources;
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return;
  const allLimits: Record<string, string> = { ...limits };
  for (const [name, quantity] of aggregateContainerLimits(spec as PodSpec))
    if (isHugePages(name) && requests[name] === undefined) allLimits[name] ??= quantity.toString();
  if (Object.keys(allLimits).length === 0) return;
  resources.limits = allLimits;
  const allRequests: Record<string, string> = { ...requests };
  for (const [name, quantity] of aggregateContainerRequests(spec as PodSpec))
    if (isPodResource(name) && isOvercommitAllowed(name)) allRequests[name] ??= quantity.toString();
  for (const [name, limit] of Object.entries(allLimits)) if (isPodResource(name)) allRequests[name] ??= limit;
  if (Object.keys(allRequests).length > 0) resources.requests = allRequests;
}

const isPodResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

/** Fills in a Pod or the Pod inside a template. */
export function defaultPodSpec(spec: Mutable<PodSpec>): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const list of [spec.containers, spec.initContainers, spec.ephemeralContainers])
    for (const container of list ?? []) defaultContainer(container);
  roundResources(spec.overhead);
  roundResources(spec.resources?.limits);
  roundResources(spec.resources?.requests);
}

function defaultContainer(container: AnyContainer): void {
  container.imagePullPolicy ||= imageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.resources ??= {};
  roundResources(container.resources.limits);
  roundResources(container.resources.requests);
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
    if (valueFrom?.resourceFieldRef) valueFrom.resourceFieldRef.divisor ??= '0';
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    if (probe) defaultProbe(probe);
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop])
    if (handler?.httpGet) defaultHttpGet(handler.httpGet);
}

function defaultHttpGet(action: Mutable<NonNullable<Probe['httpGet']>>): void {
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function defaultProbe(probe: Mutable<Probe>): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}
