import { describe, expect, it } from 'vitest';
import { isControllerError } from '../controller-error.ts';
import { ordinalOwnership, ordinalPlace } from './ordinal-ownership.ts';

const env = { STATEFUL_CONTROLLER_ORDINAL: 'as-2', STATEFUL_SERVICE_NAME: 'autoscaler' };
const options = { buckets: 3, namespace: 'knative-testing' };
const keys = ['default/a', 'default/b', 'default/c', 'default/d', 'default/e'];

describe('a Pod of a StatefulSet', () => {
  it('owns the keys that Knative gives to its number', () => {
    const owners = [0, 1, 2].map((ordinal) => {
      const place = ordinalPlace({ ...env, STATEFUL_CONTROLLER_ORDINAL: `as-${ordinal}` }, options);
      const ownership = ordinalOwnership(place as NonNullable<typeof place>);
      expect(keys.map((key) => ownership.signalFor(key).aborted)).toEqual(keys.map((key) => !ownership.owns(key)));
      return keys.filter((key) => ownership.owns(key));
    });
    expect(owners).toEqual([['default/a', 'default/b', 'default/d'], [], ['default/c', 'default/e']]);
  });

  it('reads the rest of its address from the environment', () => {
    const more = { STATEFUL_SERVICE_PORT: '8080', STATEFUL_SERVICE_PROTOCOL: 'https', CLUSTER_DOMAIN: 'corp.example' };
    expect(ordinalPlace({ ...env, ...more }, options)).toEqual({
      statefulSet: 'as',
      ordinal: 2,
      service: 'autoscaler',
      namespace: 'knative-testing',
      buckets: 3,
      port: '8080',
      protocol: 'https',
      clusterDomain: 'corp.example',
    });
  });

  it('is not assumed without the environment saying so', () => {
    expect(ordinalPlace({}, options)).toBeUndefined();
    expect(ordinalPlace({ STATEFUL_CONTROLLER_ORDINAL: 'as-0' }, options)).toBeUndefined();
  });

  it.each([
    ['as', '"as" is not a valid stateful set controller ordinal'],
    ['as-x', '"as-x" is not a valid stateful set controller ordinal'],
    ['as-3', 'ordinal 3 is out of range [0, 3)'],
  ])('cannot be called %s', (pod, message) => {
    const start = () => {
      const place = ordinalPlace({ ...env, STATEFUL_CONTROLLER_ORDINAL: pod }, options);
      return place && ordinalOwnership(place);
    };
    expect(start).toThrow(message);
    expect(start).toThrow(expect.toSatisfy((error: unknown) => isControllerError(error, 'ELECTION_INVALID')));
  });
});
