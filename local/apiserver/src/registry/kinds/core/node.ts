import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  internalError,
  invalid,
  type Mutable,
} from '@tektite/meta';
import type { Node } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { goValue } from '../go-value/go-value.ts';
import { parseCidr } from '../network/ip-address.ts';
import { cidrWarnings, isDualStack, validateCidr } from '../network/validate-ip.ts';
import { keepStatus, setField } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { nodeColumns } from './columns.ts';
import { roundResources } from './resource-list-defaults.ts';
import { validateResourceQuantity } from './resource-names.ts';
import { validateTaints } from './taint.ts';

const podCidrsPath = FieldPath.of('spec', 'podCIDRs');
const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/** Upstream's messages place taints below `metadata`. */
function validateNode(node: Node): FieldError[] {
  const errors: FieldError[] = [];
  validateTaints(node.spec?.taints ?? [], FieldPath.of('metadata', 'taints'), errors);
  validateNodeStatus(node, errors);
  const cidrs = node.spec?.podCIDRs ?? [];
  for (const [i, cidr] of cidrs.entries()) validateCidr(cidr, podCidrsPath.index(i), errors);
  const unreadable = cidrs.findIndex((cidr) => parseCidr(cidr) === undefined);
  if (cidrs.length > 1 && unreadable >= 0)
    errors.push(
      internalError(
        podCidrsPath,
        `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${unreadable}]: <nil> (invalid CIDR address: ${cidrs[unreadable]})`,
      ),
    );
  if (cidrs.length > 1 && (cidrs.length > 2 || unreadable >= 0 || !isDualStack(cidrs)))
    errors.push(invalid(podCidrsPath, cidrs, 'may specify no more than one CIDR for each IP family'));
  return errors;
}

function validateNodeStatus({ status }: Node, errors: FieldError[]): void {
  for (const part of ['capacity', 'allocatable'] as const)
    for (const [name, quantity] of Object.entries(status?.[part] ?? {}))
      validateResourceQuantity(name, quantity, FieldPath.of('status', part, name), errors);
  const swap = status?.nodeInfo?.swap?.capacity;
  if (swap !== undefined && swap <= 0)
    errors.push(invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero'));
  validateFeatures(status?.declaredFeatures ?? [], errors);
}

function validateFeatures(features: readonly string[], errors: FieldError[]): void {
  const path = FieldPath.of('status', 'declaredFeatures');
  for (const [i, feature] of features.entries()) {
    if (feature.length > 253 || !featureName.test(feature)) {
      const rule =
        feature.length > 253
          ? 'must be no more than 253 characters'
          : "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
      errors.push(invalid(path.index(i), feature, `invalid feature name ${JSON.stringify(feature)}: ${rule}`));
    }
    const next = features[i + 1];
    if (next === feature) errors.push(duplicate(path.index(i + 1), next));
    else if (next !== undefined && next < feature)
      errors.push(invalid(path.index(i + 1), next, 'list must be sorted alphabetically'));
  }
}

function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const errors: FieldError[] = [];
  validateNodeStatus(node, errors);
  const addresses = new Set<string>();
  for (const [i, address] of (node.status?.addresses ?? []).entries()) {
    const identity = `${address.type}/${address.address}`;
    if (addresses.has(identity))
      errors.push(duplicate(FieldPath.of('status', 'addresses').index(i), goValue('NodeAddress', address)));
    addresses.add(identity);
  }
  const before = old.spec?.podCIDRs ?? [];
  if (before.length > 0 && !equalJson(before, node.spec?.podCIDRs ?? []))
    errors.push(forbidden(podCidrsPath, 'node updates may not change podCIDR except from "" to valid'));
  if (old.spec?.providerID && old.spec.providerID !== node.spec?.providerID)
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  validateTaints(node.spec?.taints ?? [], FieldPath.of('metadata', 'taints'), errors);
  if ((node.spec?.externalID ?? '') !== (old.spec?.externalID ?? ''))
    errors.push(forbidden('spec.externalID', 'may not be updated'));
  return errors;
}

function defaultNode(node: Mutable<Node>): void {
  const { spec, status } = node;
  if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  for (const list of [status?.capacity, status?.allocatable]) roundResources(list);
  if (!spec) return;
  if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
}

function rolesOf({ metadata }: Node): string {
  const roles = new Set<string>();
  const prefix = 'node-role.kubernetes.io/';
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(prefix) && key !== prefix) roles.add(key.slice(prefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].sort().join(',') || '<none>';
}

function statusOf({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const text = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return spec?.unschedulable ? `${text},SchedulingDisabled` : text;
}

export const nodeStrategy: KindStrategy<Node> = {
  metadataRules: { onUpdate: 'both' },
  default: defaultNode,
  prepareForCreate(node) {
    if (node.spec) delete node.spec.configSource;
    if (node.status) delete node.status.config;
  },
  prepareForUpdate(node, old) {
    keepStatus(node, old);
    if (node.spec && !old.spec?.configSource) delete node.spec.configSource;
  },
  validateCreate: validateNode,
  validateUpdate: (node, old) => [...validateNode(node), ...validateNodeUpdate(node, old)],
  subresources: {
    status: {
      prepareForUpdate(node, old) {
        setField(node, 'spec', old.spec);
        if (node.status && !old.status?.config) delete node.status.config;
      },
      validateUpdate: validateNodeUpdate,
    },
  },
  warnings({ spec }) {
    const warnings: string[] = [];
    if (spec?.configSource) warnings.push('spec.configSource: the feature is removed');
    if (spec?.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
    for (const [i, cidr] of (spec?.podCIDRs ?? []).entries())
      warnings.push(...cidrWarnings(cidr, podCidrsPath.index(i)));
    return warnings;
  },
  selectableFields: ['spec.unschedulable'],
  fields: ({ spec }) => ({ 'spec.unschedulable': String(spec?.unschedulable ?? false) }),
  table: {
    columns: nodeColumns,
    row(node, context) {
      const info = node.status?.nodeInfo;
      const addressOf = (type: string) =>
        node.status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
      const kernel = info?.kernelVersion || '<unknown>';
      return [
        nameOf(node),
        statusOf(node),
        rolesOf(node),
        ageOf(node, context),
        info?.kubeletVersion ?? '',
        addressOf('InternalIP'),
        addressOf('ExternalIP'),
        info?.osImage || '<unknown>',
        info?.architecture ? `${kernel} (${info.architecture})` : kernel,
        info?.containerRuntimeVersion || '<unknown>',
      ];
    },
  },
};
