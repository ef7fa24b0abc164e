import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  formatLabelSelector,
  invalid,
  validatePortName,
  type Mutable,
  notSupported,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkPortNumber, checkText } from '../field-checks.ts';
import { isIpv6, maskIp, parseCidr } from '../network/ip-address.ts';
import { cidrWarnings, validateCidr } from '../network/validate-ip.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { networkPolicyColumns } from './columns.ts';

const path = FieldPath.of('spec');

interface Rule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly peers: readonly NetworkPolicyPeer[];
  readonly path: FieldPath;
  readonly peersPath: FieldPath;
}

/** The rules of both directions, incoming first. */
function rulesOf({ spec }: NetworkPolicy): Rule[] {
  const rule = (
    direction: string,
    i: number,
    field: string,
    ports = [] as Rule['ports'],
    peers = [] as Rule['peers'],
  ) => {
    const at = path.child(direction).index(i);
    return { ports, peers, path: at, peersPath: at.child(field) };
  };
  return [
    ...(spec?.ingress ?? []).map(({ ports, from }, i) => rule('ingress', i, 'from', ports, from)),
    ...(spec?.egress ?? []).map(({ ports, to }, i) => rule('egress', i, 'to', ports, to)),
  ];
}

function validateNetworkPolicy(policy: NetworkPolicy, old?: NetworkPolicy): FieldError[] {
  const errors: FieldError[] = [];
  const known = old ? cidrsOf(old) : [];
  errors.push(...validateLabelSelector(policy.spec?.podSelector ?? {}, path.child('podSelector')));
  for (const rule of rulesOf(policy)) {
    for (const [i, port] of rule.ports.entries()) validatePort(port, rule.path.child('ports').index(i), errors);
    for (const [i, peer] of rule.peers.entries()) validatePeer(peer, known, rule.peersPath.index(i), errors);
  }
  validatePolicyTypes(policy.spec?.policyTypes ?? [], path.child('policyTypes'), errors);
  return errors;
}

function validatePolicyTypes(types: readonly string[], at: FieldPath, errors: FieldError[]): void {
  const known = ['Ingress', 'Egress'];
  if (types.length > known.length) {
    errors.push(invalid(at, types, 'may not specify more than two policyTypes'));
    return;
  }
  for (const [i, type] of types.entries())
    if (!known.includes(type)) errors.push(notSupported(at.index(i), type, known));
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, at: FieldPath, errors: FieldError[]): void {
  if (protocol !== undefined && !['TCP', 'UDP', 'SCTP'].includes(protocol))
    errors.push(notSupported(at.child('protocol'), protocol, ['TCP', 'UDP', 'SCTP']));
  const endPath = at.child('endPort');
  if (port === undefined) {
    if (endPort !== undefined)
      errors.push(invalid(endPath, endPort, 'may not be specified when `port` is not specified'));
  } else if (typeof port === 'number') {
    checkPortNumber(port, at.child('port'), errors);
    if (endPort === undefined) return;
    if (endPort < port) errors.push(invalid(endPath, port, 'must be greater than or equal to `port`'));
    checkPortNumber(endPort, endPath, errors);
  } else {
    if (endPort !== undefined)
      errors.push(invalid(endPath, endPort, 'may not be specified when `port` is non-numeric'));
    checkText(port, validatePortName, at.child('port'), errors);
  }
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  known: readonly string[],
  at: FieldPath,
  errors: FieldError[],
): void {
  if (podSelector) errors.push(...validateLabelSelector(podSelector, at.child('podSelector')));
  if (namespaceSelector) errors.push(...validateLabelSelector(namespaceSelector, at.child('namespaceSelector')));
  if (ipBlock) validateIpBlock(ipBlock, known, at.child('ipBlock'), errors);
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(at, 'must specify a peer'));
  else if (ipBlock && (podSelector || namespaceSelector))
    errors.push(forbidden(at, 'may not specify both ipBlock and another peer'));
}

function validateIpBlock(
  { cidr = '', except = [] }: Partial<IPBlock>,
  known: readonly string[],
  at: FieldPath,
  errors: FieldError[],
): void {
  if (cidr === '') {
    errors.push(required(at.child('cidr')));
    return;
  }
  validateCidr(cidr, at.child('cidr'), errors, known);
  if (!parseCidr(cidr)) return;
  for (const [i, inner] of except.entries()) {
    validateCidr(inner, at.child('except').index(i), errors, known);
    if (parseCidr(inner) && !isStrictSubset(inner, cidr))
      errors.push(invalid(at.child('except').index(i), inner, 'must be a strict subset of `cidr`'));
  }
}

function isStrictSubset(inner: string, outer: string): boolean {
  const [small, large] = [parseCidr(inner), parseCidr(outer)];
  if (!small || !large || isIpv6(small.address) !== isIpv6(large.address) || large.prefix >= small.prefix) return false;
  return equalJson(maskIp({ ...small, prefix: large.prefix }), maskIp(large));
}

function cidrsOf(policy: NetworkPolicy): string[] {
  return rulesOf(policy).flatMap(({ peers }) =>
    peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : [])),
  );
}

function networkPolicyWarnings(policy: NetworkPolicy): string[] {
  return rulesOf(policy).flatMap(({ peers, peersPath }) =>
    peers.flatMap(({ ipBlock }, i) => {
      if (!ipBlock) return [];
      const at = peersPath.index(i).child('ipBlock');
      return [
        ...cidrWarnings(ipBlock.cidr, at.child('cidr')),
        ...(ipBlock.except ?? []).flatMap((except, k) => cidrWarnings(except, at.child('except').index(k))),
      ];
    }),
  );
}

export const networkPolicyStrategy: KindStrategy<NetworkPolicy> = {
  default(policy) {
    const spec = (policy.spec ??= {} as Mutable<NetworkPolicySpec>);
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
      for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  validateCreate: (policy) => validateNetworkPolicy(policy),
  validateUpdate: validateNetworkPolicy,
  warnings: networkPolicyWarnings,
  table: {
    columns: networkPolicyColumns,
    row: (policy, context) => [
      nameOf(policy),
      formatLabelSelector(policy.spec?.podSelector ?? {}),
      ageOf(policy, context),
    ],
  },
  generationChanged: (policy, old) => !equalJson(policy.spec, old.spec),
};
