import { describe, expect, it } from 'vitest';
import { created, createErrors, createWarnings, defaulted, objectOf, tableRow } from '../test-support.ts';

const version = 'networking.k8s.io/v1';
const service = { name: 's', port: { number: 80 } };
const rule = (path: object, host?: string) => ({ ...(host ? { host } : {}), http: { paths: [path] } });
const ingress = (spec: object, metadata: object = { name: 'x' }) => objectOf(version, 'Ingress', { metadata, spec });

describe('a new Ingress is refused', () => {
  it.each<[string, object, string[]]>([
    ['for nothing', { defaultBackend: { service } }, []],
    ['without rules', {}, ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
    [
      'without a type of path',
      { rules: [rule({ path: '/', backend: { service } })] },
      ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    ],
    [
      'with a relative path',
      { rules: [rule({ path: 'a', pathType: 'Prefix', backend: { service } })] },
      ['spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path'],
    ],
    [
      'with an address for a host',
      { rules: [rule({ path: '/', pathType: 'Exact', backend: { service } }, '10.0.0.1')] },
      ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
    ],
    [
      'without a port',
      { defaultBackend: { service: { name: 's' } } },
      ['spec.defaultBackend: Required value: port name or number is required'],
    ],
  ])('%s', (_, spec, expected) => expect(createErrors(ingress(spec))).toEqual(expected));

  it('warns of the old annotation', () => {
    const annotated = { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'nginx' } };
    expect(createWarnings(ingress({ defaultBackend: { service } }, annotated))).toEqual([
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    ]);
  });

  it('prints three hosts, the number of the others, and its ports', () => {
    const rules = ['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com'].map((host) => ({ host }));
    expect(tableRow(created(ingress({ rules, tls: [{}] })))).toEqual([
      'x',
      '<none>',
      'a.example.com,b.example.com,c.example.com + 1 more...',
      '',
      '80, 443',
      '60m',
    ]);
  });
});

describe('a new NetworkPolicy is refused', () => {
  it.each<[string, object, string[]]>([
    ['for nothing', { podSelector: {} }, []],
    [
      'with a peer that is none',
      { podSelector: {}, ingress: [{ from: [{}] }] },
      ['spec.ingress[0].from[0]: Required value: must specify a peer'],
    ],
    [
      'with an exception outside of its range',
      { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/16', except: ['10.1.0.0/24'] } }] }] },
      ['spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.1.0.0/24": must be a strict subset of `cidr`'],
    ],
    [
      'with ports that end before they start',
      { podSelector: {}, ingress: [{ ports: [{ port: 90, endPort: 80 }] }] },
      ['spec.ingress[0].ports[0].endPort: Invalid value: 90: must be greater than or equal to `port`'],
    ],
  ])('%s', (_, spec, expected) => expect(createErrors(objectOf(version, 'NetworkPolicy', { spec }))).toEqual(expected));

  it('is about what it has rules for', () => {
    expect(
      defaulted(objectOf(version, 'NetworkPolicy', { spec: { podSelector: {}, egress: [{}] } })).spec.policyTypes,
    ).toEqual(['Ingress', 'Egress']);
  });
});

it('an IPAddress is named as one', () => {
  const spec = { parentRef: { resource: 'services', namespace: 'default', name: 's' } };
  expect(createErrors(objectOf(version, 'IPAddress', { metadata: { name: '10.0.0.1' }, spec }))).toEqual([]);
  expect(createErrors(objectOf(version, 'IPAddress', { metadata: { name: '010.0.0.1' }, spec }))).toEqual([
    'metadata.name: Invalid value: "010.0.0.1": must not have leading 0s',
  ]);
});
