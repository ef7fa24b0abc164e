import type { Mutable } from '@tektite/meta';
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
} from '@tektite/schema/kubernetes';
import {
  aggregateContainerLimits,
  aggregateContainerRequests,
} from '../../../registry/kinds/core/pod/aggregate-resources.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource, admissionForbidden } from '../../admission.ts';
import { joinErrors } from '../../join-errors.ts';
import {
  type Amounts,
  maxConstraint,
  maxRequestConstraint,
  minConstraint,
  ratioConstraint,
  type Resources,
} from './limit-constraints.ts';

const annotation = 'kubernetes.io/limit-ranger';

/** Fills in what the LimitRanges of a namespace say of containers that say nothing, and refuses what is out of range. */
export function limitRanger(storage: Storage): AdmissionPlugin {
  const rangesOf = (request: AdmissionRequest) => {
    if (!isLimited(request) || request.oldObject?.metadata.deletionTimestamp !== undefined) return [];
    return storage
      .list(`/registry/limitranges/${request.namespace}/`)
      .entries.map(({ value }) => (value as LimitRange).spec?.limits ?? []);
  };
  return {
    name: 'LimitRanger',
    mutate(request) {
      if (!isResource(request, '', 'pods')) return;
      for (const limits of rangesOf(request)) fillIn(request.object as Mutable<Pod>, limits);
    },
    validate(request) {
      for (const limits of rangesOf(request)) {
        const violations = isResource(request, '', 'pods')
          ? checkPod(request.object as Pod, limits)
          : checkClaim(request.object as PersistentVolumeClaim, limits);
        if (violations.length > 0) throw admissionForbidden(request, joinErrors(violations));
      }
    },
  };
}

/** Pods when they are created or resized, since their containers are fixed otherwise; claims always. */
function isLimited(request: AdmissionRequest): boolean {
  const { operation, subresource } = request;
  if (!request.object) return false;
  if (isResource(request, '', 'pods'))
    return subresource === 'resize' ? operation === 'UPDATE' : subresource === '' && operation === 'CREATE';
  return subresource === '' && isResource(request, '', 'persistentvolumeclaims');
}

function fillIn(pod: Mutable<Pod>, limits: readonly LimitRangeItem[]): void {
  const requests: Record<string, string> = {};
  const maxima: Record<string, string> = {};
  for (const item of limits) {
    if (item.type !== 'Container') continue;
    Object.assign(requests, item.defaultRequest);
    Object.assign(maxima, item.default);
  }
  const notes: string[] = [];
  const { spec } = pod;
  for (const container of spec?.containers ?? [])
    notes.push(...fillContainer(container, 'container', requests, maxima));
  for (const container of spec?.initContainers ?? [])
    notes.push(...fillContainer(container, 'init container', requests, maxima));
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

function fillContainer(container: Mutable<Container>, what: string, requests: Amounts, maxima: Amounts): string[] {
  const resources = (container.resources ??= {});
  const missing = (present: Amounts | undefined, wanted: Amounts) =>
    Object.keys(wanted)
      .filter((name) => present?.[name] === undefined)
      .sort();
  const newLimits = missing(resources.limits, maxima);
  const newRequests = missing(resources.requests, requests);
  if (newLimits.length > 0) resources.limits = { ...maxima, ...resources.limits };
  if (newRequests.length > 0) resources.requests = { ...requests, ...resources.requests };
  return [
    ...(newRequests.length > 0 ? [`${newRequests.join(', ')} request for ${what} ${container.name}`] : []),
    ...(newLimits.length > 0 ? [`${newLimits.join(', ')} limit for ${what} ${container.name}`] : []),
  ];
}

function checkPod({ spec }: Pod, limits: readonly LimitRangeItem[]): string[] {
  if (!spec) return [];
  return limits.flatMap((item) => {
    if (item.type === 'Pod') return checkItem(item, podResources(spec));
    if (item.type !== 'Container') return [];
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      checkItem(item, { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }),
    );
  });
}

function checkItem({ type, min, max, maxLimitRequestRatio }: LimitRangeItem, resources: Resources): string[] {
  return [
    ...each(min, (name, amount) => minConstraint(type, name, amount, resources)),
    ...each(max, (name, amount) => maxConstraint(type, name, amount, resources)),
    ...each(maxLimitRequestRatio, (name, amount) => ratioConstraint(type, name, amount, resources)),
  ];
}

function checkClaim({ spec }: PersistentVolumeClaim, limits: readonly LimitRangeItem[]): string[] {
  const requests = spec?.resources?.requests ?? {};
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min, max }) => [
      ...each(min, (name, amount) => minConstraint(type, name, amount, { requests, limits: {} })),
      ...each(max, (name, amount) => maxRequestConstraint(type, name, amount, requests)),
    ]);
}

function each(amounts: Amounts | undefined, check: (name: string, amount: string) => string | undefined): string[] {
  return Object.entries(amounts ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, amount]) => check(name, amount) ?? []);
}

/** The sum over the containers; Pod-level resources win. */
function podResources(spec: PodSpec): Resources {
  const texts = (totals: ReadonlyMap<string, { toString(): string }>, own: Amounts | undefined) => ({
    ...Object.fromEntries([...totals].map(([name, quantity]) => [name, quantity.toString()])),
    ...Object.fromEntries(Object.entries(own ?? {}).filter(([name]) => name === 'cpu' || name === 'memory')),
  });
  return {
    requests: texts(aggregateContainerRequests(spec), spec.resources?.requests),
    limits: texts(aggregateContainerLimits(spec), spec.resources?.limits),
  };
}
