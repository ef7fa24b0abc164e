import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
  type Mutable,
  nameIsDnsSubdomain,
  required,
  tooMany,
} from '@tektite/meta';
import type { DiscoveryV1EndpointPort, Endpoint, EndpointHints, EndpointSlice } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkDnsLabel, checkImmutable, checkRequiredSupported, checkSupported, checkText } from '../field-checks.ts';
import { isIpv6, parseIp } from '../network/ip-address.ts';
import { ipWarnings, validateCanonicalIp, validateEndpointIp, validateIp } from '../network/validate-ip.ts';
import { ageOf, firstThree, nameOf } from '../table/cells.ts';
import { endpointSliceColumns } from './columns.ts';

const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;
const maxHints = 8;

const isNodeName = (name: string): string[] => nameIsDnsSubdomain(name, false);

function validateEndpointSlice(slice: EndpointSlice, old?: EndpointSlice): FieldError[] {
  const errors: FieldError[] = [];
  const { addressType } = slice;
  checkRequiredSupported(addressType, ['FQDN', 'IPv4', 'IPv6'], FieldPath.of('addressType'), errors);
  validatePorts(slice.ports ?? [], FieldPath.of('ports'), errors);
  if (!old || !equalJson(old.endpoints, slice.endpoints))
    validateEndpoints(slice.endpoints ?? [], addressType, FieldPath.of('endpoints'), errors);
  if (old) checkImmutable(addressType, old.addressType, FieldPath.of('addressType'), errors);
  return errors;
}

function validatePorts(ports: readonly DiscoveryV1EndpointPort[], path: FieldPath, errors: FieldError[]): void {
  if (ports.length > maxPorts) {
    errors.push(tooMany(path, ports.length, maxPorts));
    return;
  }
  const names = new Set<string>();
  for (const [i, { name = '', protocol, appProtocol }] of ports.entries()) {
    const at = path.index(i);
    if (name !== '') checkDnsLabel(name, at.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (protocol === undefined) errors.push(required(at.child('protocol')));
    else checkSupported(protocol, ['SCTP', 'TCP', 'UDP'], at.child('protocol'), errors);
    if (appProtocol !== undefined) checkText(appProtocol, validateQualifiedName, at.child('appProtocol'), errors);
  }
}

function validateEndpoints(
  endpoints: readonly Endpoint[],
  addressType: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (endpoints.length > maxEndpoints) {
    errors.push(tooMany(path, endpoints.length, maxEndpoints));
    return;
  }
  for (const [i, endpoint] of endpoints.entries()) {
    const at = path.index(i);
    const addresses = endpoint.addresses ?? [];
    if (addresses.length === 0) errors.push(required(at.child('addresses'), 'must contain at least 1 address'));
    else if (addresses.length > maxAddresses)
      errors.push(tooMany(at.child('addresses'), addresses.length, maxAddresses));
    for (const [j, address] of addresses.entries())
      validateAddress(address, addressType, at.child('addresses'), j, errors);
    if (endpoint.nodeName !== undefined) checkText(endpoint.nodeName, isNodeName, at.child('nodeName'), errors);
    if (endpoint.hostname !== undefined) checkDnsLabel(endpoint.hostname, at.child('hostname'), errors);
    if (endpoint.hints) validateHints(endpoint.hints, at.child('hints'), errors);
  }
}

function validateAddress(
  address: string,
  addressType: string,
  path: FieldPath,
  index: number,
  errors: FieldError[],
): void {
  const at = path.index(index);
  if (addressType === 'FQDN') {
    validateDomainName(address, at, errors);
    return;
  }
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return;
  const before = errors.length;
  if (addressType === 'IPv4') validateIp(address, at, errors);
  else validateCanonicalIp(address, at, errors);
  if (errors.length > before) return;
  const parsed = parseIp(address);
  // Upstream names the whole list here.
  if (parsed && isIpv6(parsed) !== (addressType === 'IPv6'))
    errors.push(invalid(path, address, `must be an ${addressType} address`));
  validateEndpointIp(address, at, errors);
}

/** A domain of at least two parts, with or without a final dot. */
function validateDomainName(value: string, path: FieldPath, errors: FieldError[]): void {
  if (value === '') {
    errors.push(required(path));
    return;
  }
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  const labels = name.split('.');
  const violations = validateDns1123Subdomain(name);
  const badLabel = labels.find((label) => validateDns1123Label(label).length > 0);
  if (violations.length > 0) errors.push(invalid(path, name, violations.join(',')));
  else if (labels.length < 2)
    errors.push(invalid(path, name, 'should be a domain with at least two segments separated by dots'));
  else if (badLabel !== undefined) errors.push(invalid(path, badLabel, validateDns1123Label(badLabel).join(',')));
}

function validateHints(hints: EndpointHints, path: FieldPath, errors: FieldError[]): void {
  for (const [field, rule] of [
    ['forZones', validateLabelValue],
    ['forNodes', isNodeName],
  ] as const) {
    const list = hints[field] ?? [];
    if (list.length > maxHints) {
      errors.push(tooMany(path.child(field), list.length, maxHints));
      return;
    }
    const names = new Set<string>();
    for (const [i, { name = '' }] of list.entries()) {
      const at = path.child(field).index(i).child('name');
      if (names.has(name)) errors.push(duplicate(at, name));
      names.add(name);
      checkText(name, rule, at, errors);
    }
  }
}

const ownControllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function endpointSliceWarnings(slice: EndpointSlice, old: EndpointSlice | undefined): string[] {
  const warnings: string[] = [];
  if (!old && slice.addressType === 'FQDN') warnings.push('spec.addressType: FQDN endpoints are deprecated');
  const manager = slice.metadata.labels?.['endpointslice.kubernetes.io/managed-by'];
  if (manager !== undefined && ownControllers.includes(manager)) return warnings;
  for (const [i, { addresses }] of (slice.endpoints ?? []).entries())
    for (const [j, address] of (addresses ?? []).entries())
      warnings.push(...ipWarnings(address, FieldPath.of('endpoints').index(i).child('addresses').index(j)));
  return warnings;
}

/** The topology of an endpoint is read only; the node has a separate field. */
function dropTopology(slice: Mutable<EndpointSlice>): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

function contentOf({ metadata, ...rest }: EndpointSlice): unknown {
  return [rest, metadata.labels];
}

export const endpointSliceStrategy: KindStrategy<EndpointSlice> = {
  metadataRules: { onUpdate: 'create' },
  default(slice) {
    for (const port of slice.ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareForCreate: dropTopology,
  prepareForUpdate: dropTopology,
  validateCreate: (slice) => validateEndpointSlice(slice),
  validateUpdate: validateEndpointSlice,
  warnings: endpointSliceWarnings,
  table: {
    columns: endpointSliceColumns,
    row: (slice, context) => [
      nameOf(slice),
      slice.addressType ?? '',
      firstThree((slice.ports ?? []).map(({ port, name }) => String(port ?? name ?? '*'))),
      firstThree((slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
      ageOf(slice, context),
    ],
  },
  generationChanged: (slice, old) => !equalJson(contentOf(slice), contentOf(old)),
};
