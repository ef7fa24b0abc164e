import { isIPv4 } from 'node:net';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import { type DnsAnswer, type DnsRecord, recordTypes, responseCodes } from './dns-message.ts';

/** The Services of a cluster, and who is behind them. */
export interface ServiceSource {
  service(namespace: string, name: string): Service | undefined;
  slices(namespace: string, name: string): readonly EndpointSlice[];
  services(): Iterable<Service>;
}

/** The seconds that clients may keep an answer. */
const ttl = 5;

interface Backend {
  readonly address: string;
  /** The first part of its name: its hostname, or its address. */
  readonly label: string;
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
}

/** The rest of a name of a Service, and what it leads to. */
interface Found {
  readonly service: Service;
  readonly fullName: string;
  /** In front of the name of the Service, the one that is nearest to it last. */
  readonly labels: readonly string[];
}

/**
 * Answers questions about names of the cluster, as its specification of DNS has them. Undefined: the name is of another domain.
 *
 * A Service without addresses (`ExternalName`) is answered with its target alone.
 */
export function clusterAnswer(
  name: string,
  type: number,
  domain: string,
  source: ServiceSource,
): DnsAnswer | undefined {
  const reversed = reverseAddress(name);
  if (reversed !== undefined) return reverseAnswer(name, reversed, type, domain, source);
  if (name !== domain && !name.endsWith(`.${domain}`)) return undefined;
  const records = lookUp(name, domain, source);
  const authority: DnsRecord[] = [{ type: 'SOA', name: domain, ttl, origin: domain }];
  if (!records) return { code: responseCodes.nameError, answers: [], authority };
  const isWanted = (record: DnsRecord) =>
    type === recordTypes.ANY || recordTypes[record.type] === type || record.type === 'CNAME';
  const answers = records.filter(isWanted);
  if (answers.length === 0) return { code: responseCodes.noError, answers: [], authority };
  const targets = new Set(answers.flatMap((record) => (record.type === 'SRV' ? [record.target] : [])));
  const additional = [...targets].flatMap((target) => addressesOf(lookUp(target, domain, source) ?? []));
  return { code: responseCodes.noError, answers, ...(additional.length > 0 ? { additional } : {}) };
}

function addressesOf(records: readonly DnsRecord[]): DnsRecord[] {
  return records.filter(({ type }) => type === 'A');
}

/** All records of a name. Undefined: there is no such name. */
function lookUp(name: string, domain: string, source: ServiceSource): readonly DnsRecord[] | undefined {
  const labels = name.slice(0, -domain.length - 1).split('.');
  if (name === domain) return [];
  const kind = labels.at(-1);
  if (labels.length === 1) return kind === 'svc' || kind === 'pod' ? [] : undefined;
  if (kind === 'pod') return podRecords(name, labels);
  if (kind !== 'svc') return undefined;
  const [namespace = '', service = ''] = [labels.at(-2), labels.at(-3)];
  if (labels.length === 2)
    return [...source.services()].some(({ metadata }) => metadata.namespace === namespace) ? [] : undefined;
  const found = source.service(namespace, service);
  const fullName = `${service}.${namespace}.svc.${domain}`;
  return found && serviceRecords(name, { service: found, fullName, labels: labels.slice(0, -3) }, source);
}

/** `10-244-0-7.default.pod`: the address that it says. */
function podRecords(name: string, labels: readonly string[]): readonly DnsRecord[] | undefined {
  if (labels.length === 2) return [];
  const address = labels[0]?.replaceAll('-', '.') ?? '';
  return labels.length === 3 && isIPv4(address) ? [{ type: 'A', name, ttl, address }] : undefined;
}

function serviceRecords(name: string, found: Found, source: ServiceSource): readonly DnsRecord[] | undefined {
  const { service, labels } = found;
  const { type, externalName = '', clusterIP = '' } = service.spec ?? {};
  if (type === 'ExternalName')
    return labels.length === 0 ? [{ type: 'CNAME', name, ttl, target: externalName }] : undefined;
  const isHeadless = clusterIP === 'None' || clusterIP === '';
  const backends = isHeadless ? backendsOf(service, source) : [];
  if (labels.length === 0) {
    const addresses = isHeadless ? backends.map(({ address }) => address) : [clusterIP];
    const unique = [...new Set(addresses.filter((address) => isIPv4(address)))];
    return [
      ...unique.map((address) => ({ type: 'A', name, ttl, address }) as const),
      ...serverRecords(name, found, backends),
    ];
  }
  if (labels.length === 1 && isHeadless) {
    const named = backends.filter(({ label }) => label === labels[0]);
    return named.length === 0 ? undefined : named.map(({ address }) => ({ type: 'A', name, ttl, address }));
  }
  const [port = '', protocol = ''] = labels;
  if (labels.length !== 2 || !port.startsWith('_') || !protocol.startsWith('_')) return undefined;
  const records = serverRecords(name, found, backends, { name: port.slice(1), protocol: protocol.slice(1) });
  return records.length === 0 ? undefined : records;
}

/** Where the ports of a Service are: on its own name, or on those of its Pods where it has no address. */
function serverRecords(
  name: string,
  { service, fullName }: Found,
  backends: readonly Backend[],
  wanted?: { readonly name: string; readonly protocol: string },
): DnsRecord[] {
  const isWanted = (port: { readonly name?: string | undefined; readonly protocol?: string | undefined }) =>
    !wanted || (port.name === wanted.name && (port.protocol ?? 'TCP').toLowerCase() === wanted.protocol);
  const { clusterIP = '', ports = [] } = service.spec ?? {};
  const found =
    clusterIP === 'None' || clusterIP === ''
      ? backends.flatMap(({ label, ports: own }) =>
          own.filter(isWanted).map(({ port }) => ({ port, target: `${label}.${fullName}` })),
        )
      : ports.filter(isWanted).map(({ port }) => ({ port, target: fullName }));
  const weight = Math.floor(100 / Math.max(1, found.length));
  return found.map(({ port, target }) => ({ type: 'SRV', name, ttl, priority: 0, weight, port, target }));
}

function backendsOf({ metadata, spec }: Service, source: ServiceSource): Backend[] {
  return source.slices(metadata.namespace ?? '', metadata.name ?? '').flatMap(({ addressType, ports, endpoints }) => {
    if (addressType !== 'IPv4') return [];
    const known = (ports ?? []).map(({ name, port, protocol }) => ({
      name: name ?? '',
      port: port ?? 0,
      protocol: protocol ?? 'TCP',
    }));
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false || spec?.publishNotReadyAddresses)
      .flatMap(({ addresses, hostname }) =>
        (addresses ?? []).map((address) => ({
          address,
          label: hostname || address.replaceAll('.', '-'),
          ports: known,
        })),
      );
  });
}

function reverseAddress(name: string): string | undefined {
  const [, numbers] = /^((?:\d{1,3}\.){4})in-addr\.arpa$/.exec(name) ?? [];
  return numbers?.slice(0, -1).split('.').reverse().join('.');
}

/** Undefined for addresses that the cluster does not know. */
function reverseAnswer(
  name: string,
  address: string,
  type: number,
  domain: string,
  source: ServiceSource,
): DnsAnswer | undefined {
  if (type !== recordTypes.PTR) return undefined;
  for (const service of source.services()) {
    const fullName = `${service.metadata.name}.${service.metadata.namespace}.svc.${domain}`;
    const isOwn = service.spec?.clusterIP === address;
    const backend = isOwn ? undefined : backendsOf(service, source).find((each) => each.address === address);
    if (!isOwn && !backend) continue;
    const target = backend ? `${backend.label}.${fullName}` : fullName;
    return { code: responseCodes.noError, answers: [{ type: 'PTR', name, ttl, target }] };
  }
  return undefined;
}
