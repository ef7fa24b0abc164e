import {
  equalJson,
  type FieldError,
  FieldPath,
  validateQualifiedName,
  type Mutable,
  nameIsDnsSubdomain,
  required,
} from '@tektite/meta';
import type { EndpointAddress, EndpointPort, Endpoints } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkDnsLabel, checkPortNumber, checkRequiredSupported, checkText } from '../field-checks.ts';
import { ipWarnings, validateEndpointIp, validateIp } from '../network/validate-ip.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { endpointsColumns } from './columns.ts';
import { portProtocols } from './pod/container-ports.ts';

const path = FieldPath.of('subsets');

function validateEndpoints({ subsets }: Endpoints): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of (subsets ?? []).entries()) {
    const at = path.index(i);
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      errors.push(required(at, 'must specify `addresses` or `notReadyAddresses`'));
    for (const [j, address] of addresses.entries()) validateAddress(address, at.child('addresses').index(j), errors);
    for (const [j, address] of notReadyAddresses.entries())
      validateAddress(address, at.child('notReadyAddresses').index(j), errors);
    for (const [j, port] of ports.entries())
      validateEndpointPort(port, ports.length > 1, at.child('ports').index(j), errors);
  }
  return errors;
}

function validateAddress({ ip = '', hostname, nodeName }: EndpointAddress, at: FieldPath, errors: FieldError[]): void {
  validateIp(ip, at.child('ip'), errors);
  if (hostname) checkDnsLabel(hostname, at.child('hostname'), errors);
  if (nodeName !== undefined)
    checkText(nodeName, (name) => nameIsDnsSubdomain(name, false), at.child('nodeName'), errors);
  validateEndpointIp(ip, at.child('ip'), errors);
}

function validateEndpointPort(port: EndpointPort, needsName: boolean, at: FieldPath, errors: FieldError[]): void {
  if (port.name) checkDnsLabel(port.name, at.child('name'), errors);
  else if (needsName) errors.push(required(at.child('name')));
  checkPortNumber(port.port ?? 0, at.child('port'), errors);
  checkRequiredSupported(port.protocol, portProtocols, at.child('protocol'), errors);
  if (port.appProtocol !== undefined)
    checkText(port.appProtocol, validateQualifiedName, at.child('appProtocol'), errors);
}

function endpointsWarnings({ metadata, subsets }: Endpoints): string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return (subsets ?? []).flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap(({ ip }, j) => ipWarnings(ip, path.index(i).child(field).index(j).child('ip'))),
    ),
  );
}

/** Three addresses at most, and how many more there are. */
function formatEndpoints({ subsets }: Endpoints): string {
  if (!subsets?.length) return '<none>';
  const list = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  const text = list.slice(0, 3).join(',');
  return list.length > 3 ? `${text} + ${list.length - 3} more...` : text;
}

export const endpointsStrategy: KindStrategy<Endpoints> = {
  metadataRules: { onUpdate: 'both' },
  default(endpoints: Mutable<Endpoints>) {
    for (const subset of endpoints.subsets ?? []) for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
  },
  validateCreate: validateEndpoints,
  validateUpdate: (endpoints, old) => (equalJson(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints)),
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  warnings: endpointsWarnings,
  table: {
    columns: endpointsColumns,
    row: (endpoints, context) => [nameOf(endpoints), formatEndpoints(endpoints), ageOf(endpoints, context)],
  },
  allowCreateOnUpdate: true,
};
