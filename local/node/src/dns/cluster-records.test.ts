import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { clusterAnswer, type ServiceSource } from './cluster-records.ts';
import { type DnsRecord, encodeAnswer, parseQuery, recordTypes } from './dns-message.ts';

const service = (name: string, spec: object): Service =>
  ({ metadata: { namespace: 'shop', name }, spec }) as unknown as Service;
const services = [
  service('web', {
    clusterIP: '10.96.0.9',
    ports: [
      { name: 'http', port: 80 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
  }),
  service('db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] }),
  service('out', { type: 'ExternalName', externalName: 'example.com' }),
];
const slice = {
  addressType: 'IPv4',
  ports: [{ name: 'sql', port: 5433, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.244.0.5'], hostname: 'db-0', conditions: { ready: true } },
    { addresses: ['10.244.0.6'], conditions: { ready: true } },
    { addresses: ['10.244.0.7'], conditions: { ready: false } },
  ],
} as unknown as EndpointSlice;
const source: ServiceSource = {
  service: (namespace, name) =>
    services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  slices: (_, name) => (name === 'db' ? [slice] : []),
  services: () => services,
};

const text = (record: DnsRecord) => {
  if (record.type === 'A') return `${record.name} ${record.address}`;
  if (record.type === 'SRV') return `${record.name} ${record.port} ${record.target}`;
  return record.type === 'SOA' ? 'SOA' : `${record.name} -> ${record.target}`;
};
const ask = (name: string, type: keyof typeof recordTypes = 'A') => {
  const answer = clusterAnswer(name, recordTypes[type], 'cluster.local', source);
  return (
    answer && [answer.code, ...answer.answers.map(text), ...(answer.additional ?? []).map((each) => `+ ${text(each)}`)]
  );
};

it.each<[string, keyof typeof recordTypes, readonly unknown[] | undefined]>([
  ['web.shop.svc.cluster.local', 'A', [0, 'web.shop.svc.cluster.local 10.96.0.9']],
  ['web.shop.svc.cluster.local', 'AAAA', [0]],
  [
    'db.shop.svc.cluster.local',
    'A',
    [0, 'db.shop.svc.cluster.local 10.244.0.5', 'db.shop.svc.cluster.local 10.244.0.6'],
  ],
  ['db-0.db.shop.svc.cluster.local', 'A', [0, 'db-0.db.shop.svc.cluster.local 10.244.0.5']],
  ['10-244-0-6.db.shop.svc.cluster.local', 'A', [0, '10-244-0-6.db.shop.svc.cluster.local 10.244.0.6']],
  ['db-9.db.shop.svc.cluster.local', 'A', [3]],
  ['none.shop.svc.cluster.local', 'A', [3]],
  ['web.none.svc.cluster.local', 'A', [3]],
  ['shop.svc.cluster.local', 'A', [0]],
  ['none.svc.cluster.local', 'A', [3]],
  ['cluster.local', 'A', [0]],
  ['10-244-3-4.shop.pod.cluster.local', 'A', [0, '10-244-3-4.shop.pod.cluster.local 10.244.3.4']],
  ['10-244-3.shop.pod.cluster.local', 'A', [3]],
  ['out.shop.svc.cluster.local', 'A', [0, 'out.shop.svc.cluster.local -> example.com']],
  [
    '_http._tcp.web.shop.svc.cluster.local',
    'SRV',
    [
      0,
      '_http._tcp.web.shop.svc.cluster.local 80 web.shop.svc.cluster.local',
      '+ web.shop.svc.cluster.local 10.96.0.9',
    ],
  ],
  ['_http._udp.web.shop.svc.cluster.local', 'SRV', [3]],
  [
    '_sql._tcp.db.shop.svc.cluster.local',
    'SRV',
    [
      0,
      '_sql._tcp.db.shop.svc.cluster.local 5433 db-0.db.shop.svc.cluster.local',
      '_sql._tcp.db.shop.svc.cluster.local 5433 10-244-0-6.db.shop.svc.cluster.local',
      '+ db-0.db.shop.svc.cluster.local 10.244.0.5',
      '+ 10-244-0-6.db.shop.svc.cluster.local 10.244.0.6',
    ],
  ],
  ['9.0.96.10.in-addr.arpa', 'PTR', [0, '9.0.96.10.in-addr.arpa -> web.shop.svc.cluster.local']],
  ['5.0.244.10.in-addr.arpa', 'PTR', [0, '5.0.244.10.in-addr.arpa -> db-0.db.shop.svc.cluster.local']],
  ['1.1.1.1.in-addr.arpa', 'PTR', undefined],
  ['example.com', 'A', undefined],
  ['notcluster.local', 'A', undefined],
])('answers %s %s', (name, type, expected) => {
  expect(ask(name, type)).toEqual(expected);
});

/** A question as a client sends it. */
function question(
  name: string,
  type: number,
  more = Buffer.alloc(0),
  counts = [1, 0, 0, more.length > 0 ? 1 : 0],
): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(0xabcd, 0);
  header.writeUInt16BE(0x0100, 2);
  for (const [index, count] of counts.entries()) header.writeUInt16BE(count, 4 + 2 * index);
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([header, ...labels, Buffer.from([0, type >> 8, type & 0xff, 0, 1]), more]);
}

it('keeps the letters of a question, and cuts answers that are too long for UDP', () => {
  const query = parseQuery(question('WEB.shop.svc.Cluster.local', recordTypes.A));
  expect(query).toMatchObject({ id: 0xabcd, name: 'web.shop.svc.cluster.local', maxLength: 512 });
  const answers = Array.from(
    { length: 40 },
    (_, i) => ({ type: 'A', name: 'x.y', ttl: 5, address: `10.0.0.${i}` }) as const,
  );
  if (!query) return;
  const cut = encodeAnswer(query, { code: 0, answers }, 'udp');
  expect(cut.length).toBeLessThan(512);
  expect(cut.readUInt16BE(2) & 0x0200).toBe(0x0200);
  expect(cut.toString('latin1')).toContain('WEB');
  expect(encodeAnswer(query, { code: 0, answers }, 'tcp').readUInt16BE(6)).toBe(40);
  const opt = Buffer.from([0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0]);
  expect(parseQuery(question('a.b', 1, opt))?.maxLength).toBe(1232);
});

it('takes no bytes that are not a question', () => {
  const whole = question('web.shop', 1);
  for (let length = 0; length < whole.length; length++) expect(parseQuery(whole.subarray(0, length))).toBeUndefined();
  expect(parseQuery(question('a', 1, Buffer.alloc(0), [2, 0, 0, 0]))).toBeUndefined();
  const pointer = Buffer.from(whole);
  pointer[12] = 0xc0;
  expect(parseQuery(pointer)).toBeUndefined();
  const answer = Buffer.from(whole);
  answer.writeUInt16BE(0x8180, 2);
  expect(parseQuery(answer)).toBeUndefined();
});
