import { describe, expect, it } from 'vitest';
import { configMap, deployment } from '../test-support.ts';
import { completeKeys } from './complete-keys.ts';

describe('keys of list elements', () => {
  it('that were left out for their defaults are added, and nothing else', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } };
    const ports = [{ port: 80 }, { port: 53, protocol: 'UDP' }];
    expect(completeKeys({ ...service, spec: { ports } })).toEqual({
      ...service,
      spec: {
        ports: [
          { port: 80, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    });
  });

  it('that are all there, or of unknown kinds, leave the object as it is', () => {
    for (const object of [
      configMap('a'),
      deployment('web'),
      { apiVersion: 'x.example.com/v1', kind: 'X', metadata: {} },
    ])
      expect(completeKeys(object)).toBe(object);
  });
});
