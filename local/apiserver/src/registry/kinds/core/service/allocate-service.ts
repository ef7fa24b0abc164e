import { type FieldError, FieldPath, internalError, invalid, type Mutable } from '@tektite/meta';
import type { Service, ServiceSpec } from '@tektite/schema/kubernetes';
import type { ServiceNetwork } from '../../../kind-strategy.ts';
import { formatIp, type IpRange, isIpv6, maskIp, parseCidr, parseIp } from '../../network/ip-address.ts';
import { setField } from '../../prepare.ts';
import { validateClusterIps } from './cluster-ips.ts';
import { hasNodePorts, isHeadless, needsClusterIp, needsHealthCheck, sameList, specOf } from './service-shape.ts';

type MutableSpec = Mutable<ServiceSpec>;

const path = FieldPath.of('spec');

/**
 * Gives a Service its addresses and ports, before it is validated: what the author asked for if it is free, otherwise
 * something that is. On an update what the Service had is kept where the author says nothing.
 */
export function allocateService(
  service: Mutable<Service>,
  old: Service | undefined,
  network: ServiceNetwork,
): FieldError[] {
  service.spec ??= {};
  const spec = service.spec;
  const oldSpec = old && specOf(old);
  if (oldSpec) keepAllocated(spec, oldSpec);
  normalizeClusterIps(spec, oldSpec);
  const errors: FieldError[] = [];
  if (needsClusterIp(spec as ServiceSpec)) {
    initFamilies(service, old, network, errors);
    if (errors.length > 0) return errors;
    const isNew = !oldSpec || !needsClusterIp(oldSpec);
    if (isNew && !isHeadless(spec as ServiceSpec)) allocateAddress(spec, network, errors);
  }
  if (errors.length === 0 && hasNodePorts(spec as ServiceSpec)) allocatePorts(spec, oldSpec, network, errors);
  return errors;
}

function keepAllocated(spec: MutableSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec as ServiceSpec)) {
    if (!spec.clusterIP) setField(spec, 'clusterIP', old.clusterIP);
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  }
  if (getsNodePorts(old) && getsNodePorts(spec as ServiceSpec)) {
    const mine = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    const byName = new Map((old.ports ?? []).map(({ name, nodePort }) => [name ?? '', nodePort]));
    for (const port of spec.ports ?? []) {
      const before = byName.get(port.name ?? '');
      if (!port.nodePort && before && !mine.has(before)) port.nodePort = before;
    }
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec as ServiceSpec) && !spec.healthCheckNodePort)
    setField(spec, 'healthCheckNodePort', old.healthCheckNodePort);
}

const getsNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

/** Old clients know one address, new ones a list: the list follows the address. */
function normalizeClusterIps(spec: MutableSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (!old) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  if ((old.clusterIP ?? '') === clusterIP) {
    if (clusterIPs.length === 0 && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  } else if (sameList(clusterIPs, old.clusterIPs)) {
    if (clusterIP === '') delete spec.clusterIPs;
    else spec.clusterIPs = [clusterIP];
  }
}

function familyOf(ip: string): 'IPv4' | 'IPv6' {
  const address = parseIp(ip);
  return address && isIpv6(address) ? 'IPv6' : 'IPv4';
}

/** Families follow from addresses; the cluster has one family. */
function initFamilies(
  service: Mutable<Service>,
  old: Service | undefined,
  network: ServiceNetwork,
  errors: FieldError[],
): void {
  const spec = service.spec as MutableSpec;
  const ownFamily = familyOf(network.range.split('/', 1)[0] as string);
  const headlessWithoutSelector = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??=
    (old && specOf(old).ipFamilyPolicy) ?? (headlessWithoutSelector ? 'RequireDualStack' : 'SingleStack');
  validateClusterIps(service as Service, old, errors);
  if (errors.length > 0) return;
  const policyPath = path.child('ipFamilyPolicy');
  const families = [...(spec.ipFamilies ?? [])];
  if (spec.ipFamilyPolicy === 'SingleStack') {
    const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (spec.clusterIPs?.length === 2)
      errors.push(invalid(policyPath, spec.ipFamilyPolicy, `${detail} cluster IPs are specified`));
    if (families.length === 2)
      errors.push(invalid(policyPath, spec.ipFamilyPolicy, `${detail} IP families are specified`));
  }
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') break;
    if (i < families.length) continue;
    if (familyOf(ip) === ownFamily) families.push(ownFamily);
    else
      errors.push(
        invalid(
          path.child('clusterIPs').index(i),
          spec.clusterIPs,
          `${familyOf(ip)} is not configured on this cluster`,
        ),
      );
  }
  if (errors.length > 0) return;
  if (headlessWithoutSelector) {
    if (families.length === 0) families.push(ownFamily);
    if (families.length < 2 && spec.ipFamilyPolicy !== 'SingleStack')
      families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
    spec.ipFamilies = families;
    return;
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack')
    errors.push(invalid(policyPath, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [i, family] of families.entries())
    if (family !== ownFamily)
      errors.push(invalid(path.child('ipFamilies').index(i), family, 'not configured on this cluster'));
  if (families.length === 0) families.push(ownFamily);
  spec.ipFamilies = families;
}

function allocateAddress(spec: MutableSpec, network: ServiceNetwork, errors: FieldError[]): void {
  const range = parseCidr(network.range);
  const wanted = spec.clusterIPs?.[0];
  if (!range) return;
  if (!wanted) {
    const free = network.dryRun ? addressAt(range, 0) : freeAddress(range, network);
    if (free === undefined) errors.push(internalError(path.child('clusterIPs'), 'range is full'));
    else {
      spec.clusterIP = free;
      spec.clusterIPs = [free];
    }
    return;
  }
  const problem = !isUsable(wanted, range)
    ? `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${network.range}`
    : network.takenAddresses.has(wanted)
      ? 'provided IP is already allocated'
      : undefined;
  if (problem !== undefined)
    errors.push(invalid(path.child('clusterIPs'), spec.clusterIPs, `failed to allocate IP ${wanted}: ${problem}`));
}

/** The address as a number within its range; the first and the last are reserved. */
function offsetOf(ip: string, range: IpRange): number | undefined {
  const address = parseIp(ip);
  if (!address || address.bytes.length !== range.address.bytes.length) return undefined;
  const first = maskIp(range);
  const same = maskIp({ ...range, address }).every((byte, i) => byte === first[i]);
  if (!same) return undefined;
  return address.bytes
    .slice(-4)
    .reduce((sum, byte, i) => sum + (byte - (first.slice(-4)[i] as number)) * 256 ** (3 - i), 0);
}

const sizeOf = (range: IpRange): number => 2 ** Math.min(16, range.address.bytes.length * 8 - range.prefix);

function isUsable(ip: string, range: IpRange): boolean {
  const offset = offsetOf(ip, range);
  const size = 2 ** (range.address.bytes.length * 8 - range.prefix);
  return offset !== undefined && offset > 0 && offset < size - 1;
}

/** Upstream keeps the lower part of the range for addresses that are asked for by name. */
function freeAddress(range: IpRange, network: ServiceNetwork): string | undefined {
  const size = sizeOf(range);
  const reserved = Math.min(256, Math.max(16, Math.floor(size / 16)));
  const lower = size > reserved * 2 ? reserved : 1;
  const count = size - 1 - lower;
  const start = Math.floor(network.random.next() * count);
  const candidates = [
    ...Array.from({ length: count }, (_, i) => lower + ((start + i) % count)),
    ...Array.from({ length: lower - 1 }, (_, i) => 1 + i),
  ];
  for (const offset of candidates) {
    const ip = addressAt(range, offset);
    if (!network.takenAddresses.has(ip)) return ip;
  }
  return undefined;
}

function addressAt(range: IpRange, offset: number): string {
  const bytes = maskIp(range);
  let rest = offset;
  for (let i = bytes.length - 1; i >= 0 && rest > 0; i--) {
    const sum = (bytes[i] as number) + (rest & 0xff);
    bytes[i] = sum & 0xff;
    rest = (rest >>> 8) + (sum >> 8);
  }
  return formatIp({ bytes });
}

/** Ports that one write takes; the same port of two protocols is one number. */
function allocatePorts(
  spec: MutableSpec,
  old: ServiceSpec | undefined,
  network: ServiceNetwork,
  errors: FieldError[],
): void {
  const { first, last } = network.nodePorts;
  const mine = new Set<number>();
  const had = new Set((old?.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
  const take = (port: number): string | undefined => {
    if (mine.has(port) || had.has(port)) return undefined;
    if (!network.dryRun && (port < first || port > last))
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    if (network.takenPorts.has(port)) return 'provided port is already allocated';
    mine.add(port);
    return undefined;
  };
  const next = (): number => {
    const count = last - first + 1;
    const start = Math.floor(network.random.next() * count);
    for (let i = 0; i < count; i++) {
      const port = first + ((start + i) % count);
      if (!mine.has(port) && !had.has(port) && !network.takenPorts.has(port)) {
        mine.add(port);
        return port;
      }
    }
    throw new Error('no node port is free');
  };
  const ofPort = new Map<number, number>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !getsNodePorts(spec as ServiceSpec)) continue;
    const shared =
      ofPort.get(port.port) ?? spec.ports?.find((other) => other.port === port.port && other.nodePort)?.nodePort;
    const wanted = port.nodePort || shared;
    if (wanted) {
      const problem = take(wanted);
      if (problem !== undefined) {
        errors.push(invalid(path.child('ports').index(i).child('nodePort'), wanted, problem));
        return;
      }
    }
    port.nodePort = wanted || next();
    ofPort.set(port.port, port.nodePort);
  }
  if (needsHealthCheck(spec as ServiceSpec) && !(old && needsHealthCheck(old))) {
    if (!spec.healthCheckNodePort) spec.healthCheckNodePort = next();
    else {
      const problem = take(spec.healthCheckNodePort);
      if (problem !== undefined)
        errors.push(
          internalError(
            path.child('healthCheckNodePort'),
            `failed to allocate requested HealthCheck NodePort ${spec.healthCheckNodePort}: ${problem}`,
          ),
        );
    }
  }
}
