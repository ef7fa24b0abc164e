import { duplicate, type FieldError, FieldPath, invalid, notSupported, required } from '@tektite/meta';
import type { Service } from '@tektite/schema/kubernetes';
import { isIpv6, parseIp } from '../../network/ip-address.ts';
import { isDualStack, validateIp } from '../../network/validate-ip.ts';
import { isHeadless, needsClusterIp, specOf } from './service-shape.ts';

const path = FieldPath.of('spec');
const ipsPath = path.child('clusterIPs');
const familiesPath = path.child('ipFamilies');

/** Addresses and families of a Service must agree. */
export function validateClusterIps(service: Service, old: Service | undefined, errors: FieldError[]): void {
  const spec = specOf(service);
  if (!needsClusterIp(spec)) return;
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (clusterIP !== '') {
    if (clusterIPs.length === 0) errors.push(required(ipsPath));
    else if (clusterIPs[0] !== clusterIP)
      errors.push(invalid(ipsPath, clusterIPs, 'first value must match `clusterIP`'));
  } else if (clusterIPs.length > 0)
    errors.push(invalid(ipsPath, clusterIPs, 'must be empty when `clusterIP` is not specified'));
  for (const [i, family] of ipFamilies.entries()) {
    if (family !== 'IPv4' && family !== 'IPv6')
      errors.push(notSupported(familiesPath.index(i), family, ['IPv4', 'IPv6']));
    if (ipFamilies.indexOf(family) < i) errors.push(duplicate(familiesPath.index(i), family));
  }
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(notSupported(path.child('ipFamilyPolicy'), ipFamilyPolicy, policies));
  if (!validateAddresses(clusterIPs, specOf(old ?? service).clusterIPs, old !== undefined, errors)) return;
  if (clusterIPs.length > 1 && !isDualStack(clusterIPs))
    errors.push(invalid(ipsPath, clusterIPs, 'may specify no more than one IP for each IP family'));
  if (isHeadless(spec)) return;
  for (const [i, ip] of clusterIPs.slice(0, ipFamilies.length).entries()) {
    const address = parseIp(ip);
    const family = address && isIpv6(address) ? 'IPv6' : 'IPv4';
    if (ipFamilies[i] !== family && (ipFamilies[i] === 'IPv4' || ipFamilies[i] === 'IPv6'))
      errors.push(
        invalid(ipsPath.index(i), ip, `expected an ${ipFamilies[i]} value as indicated by \`ipFamilies[${i}]\``),
      );
  }
}

function validateAddresses(
  ips: readonly string[],
  oldIps: readonly string[] | undefined,
  isUpdate: boolean,
  errors: FieldError[],
): boolean {
  const before = errors.length;
  for (const [i, ip] of ips.entries()) {
    if (i === 0 && ip === 'None') {
      if (ips.length > 1) errors.push(invalid(ipsPath, ips, "'None' must be the first and only value"));
    } else validateIp(ip, ipsPath.index(i), errors, isUpdate ? oldIps : []);
  }
  const valid = errors.length === before;
  if (ips.length > 2) errors.push(invalid(ipsPath, ips, 'may only hold up to 2 values'));
  return valid;
}

/** The first address and family stay; the second may come and go. */
export function validateClusterIpChange(service: Service, old: Service, errors: FieldError[]): void {
  const spec = specOf(service);
  const oldSpec = specOf(old);
  if (!needsClusterIp(spec) || !needsClusterIp(oldSpec)) return;
  const headless = isHeadless(spec);
  const wasHeadless = isHeadless(oldSpec);
  if (!headless || !wasHeadless) validateAddressChange(spec, oldSpec, errors);
  if (!headless && !wasHeadless) validateFamilyChange(spec, oldSpec, errors);
}

type Spec = NonNullable<Service['spec']>;

function validateAddressChange(spec: Spec, oldSpec: Spec, errors: FieldError[]): void {
  const { clusterIPs: ips } = spec;
  const { clusterIPs: oldIps = [] } = oldSpec;
  const count = ips?.length ?? 0;
  const changed = (i: number) => errors.push(invalid(ipsPath.index(i), ips ?? null, 'may not change once set'));
  if (oldIps.length === count) {
    for (const [i, ip] of oldIps.entries()) if (ip !== ips?.[i]) changed(i);
    return;
  }
  if (oldIps.length > count && count === 0)
    errors.push(invalid(ipsPath.index(0), ips ?? null, 'primary clusterIP can not be unset'));
  if (oldIps.length > 0 && count > 0 && ips?.[0] !== oldIps[0]) changed(0);
  if (oldIps.length > count && count === 1) checkReleased(spec, 'clusterIP', errors);
}

function checkReleased(spec: Spec, what: string, errors: FieldError[]): void {
  if (spec.ipFamilyPolicy !== 'SingleStack')
    errors.push(
      invalid(
        path.child('ipFamilyPolicy'),
        spec.ipFamilyPolicy ?? null,
        `must be set to 'SingleStack' when releasing the secondary ${what}`,
      ),
    );
}

/** Which list a message shows is upstream's choice. */
function validateFamilyChange(spec: Spec, oldSpec: Spec, errors: FieldError[]): void {
  const { ipFamilies: families, clusterIPs: ips } = spec;
  const { ipFamilies: oldFamilies = [] } = oldSpec;
  const count = families?.length ?? 0;
  const first = familiesPath.index(0);
  if (oldFamilies.length === count) {
    for (const [i, family] of oldFamilies.entries())
      if (family !== families?.[i]) errors.push(invalid(first, families, 'may not change once set'));
    return;
  }
  if (oldFamilies.length > count && (ips?.length ?? 0) === 0)
    errors.push(invalid(first, families ?? null, 'primary ipFamily can not be unset'));
  if (oldFamilies.length > 0 && count > 0 && families?.[0] !== oldFamilies[0])
    errors.push(invalid(first, ips ?? null, 'may not change once set'));
  if (oldFamilies.length > count && count === 1) checkReleased(spec, 'ipFamily', errors);
}
