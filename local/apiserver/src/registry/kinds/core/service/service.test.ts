import { type Mutable, seededRandom } from '@tektite/meta';
import type { Service } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import type { StrategyContext } from '../../../kind-strategy.ts';
import { createErrors, defaulted, objectOf } from '../../test-support.ts';
import { serviceStrategy } from './service.ts';

const service = (spec: object) => objectOf('v1', 'Service', { spec });
const port = { port: 80 };

describe('a new Service is refused', () => {
  it.each<[string, object, string[]]>([
    ['without ports', { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }, ['spec.ports: Required value']],
    [
      'with a port that is none',
      { clusterIP: 'None', ports: [{ port: 0 }] },
      ['spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    ],
    [
      'with nameless ports',
      { clusterIP: 'None', ports: [{ port: 1 }, { port: 2 }] },
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'of a type nobody knows',
      { type: 'Nope', clusterIP: 'None', ports: [port] },
      [
        'spec.type: Unsupported value: "Nope": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      'with an affinity nobody knows',
      { clusterIP: 'None', ports: [port], sessionAffinity: 'Nope' },
      ['spec.sessionAffinity: Unsupported value: "Nope": supported values: "ClientIP", "None"'],
    ],
    ['without the name it stands for', { type: 'ExternalName' }, ['spec.externalName: Required value']],
  ])('%s', (_, spec, expected) => {
    const errors = createErrors(service({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', ...spec }));
    for (const error of expected) expect(errors).toContain(error);
  });
});

describe('what the cluster hands out', () => {
  const context = (takenAddresses: string[] = [], takenPorts: number[] = []): StrategyContext => ({
    now: 0,
    user: { name: 'jane', groups: [] },
    serviceNetwork: () => ({
      range: '10.0.0.0/24',
      nodePorts: { first: 30_000, last: 32_767 },
      takenAddresses: new Set(takenAddresses),
      takenPorts: new Set(takenPorts),
      random: seededRandom(7),
    }),
  });

  function allocated(spec: object, from = context()) {
    const draft = defaulted(service(spec));
    const errors = serviceStrategy.allocate?.(draft as unknown as Mutable<Service>, undefined, from) ?? [];
    return { errors, spec: (draft as unknown as Service).spec };
  }

  it('is an address', () => {
    const { spec, errors } = allocated({ ports: [port] });
    expect(errors).toEqual([]);
    expect(spec?.clusterIP).toMatch(/^10\.0\.0\.\d+$/);
    expect(spec?.clusterIPs).toEqual([spec?.clusterIP]);
    expect(spec?.ipFamilies).toEqual(['IPv4']);
  });

  it('is a port on nodes', () => {
    const nodePort = allocated({ type: 'NodePort', ports: [port] }).spec?.ports?.[0]?.nodePort ?? 0;
    expect(nodePort).toBeGreaterThanOrEqual(30_000);
    expect(nodePort).toBeLessThanOrEqual(32_767);
  });

  it('is the requested one, if it is free', () => {
    expect(allocated({ clusterIP: '10.0.0.9', ports: [port] }).spec?.clusterIP).toBe('10.0.0.9');
    const { errors } = allocated({ clusterIP: '10.0.0.9', ports: [port] }, context(['10.0.0.9']));
    expect(errors[0]?.message).toContain('provided IP is already allocated');
  });

  it('is nothing for headless Services', () => {
    expect(allocated({ clusterIP: 'None', ports: [port] }).spec?.clusterIP).toBe('None');
  });
});
