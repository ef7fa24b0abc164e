import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { allowsNoMore } from './constraints-order.ts';
import { pipelinesConstraints } from './openshift-kinds.ts';

const identity = { runAsUser: { type: 'MustRunAs' }, seLinuxContext: { type: 'MustRunAs' } };
const constraints = (fields: object) => ({ ...identity, ...fields }) as unknown as KubeObject;

/** From those that allow least to those that allow most. */
const order: readonly (readonly [string, KubeObject])[] = [
  ['drops everything', constraints({ requiredDropCapabilities: ['all'] })],
  ['drops one', constraints({ requiredDropCapabilities: ['MKNOD'] })],
  ['nothing said', constraints({ volumes: ['secret', 'configMap'] })],
  ['allows one', constraints({ allowedCapabilities: ['KILL'] })],
  ['adds one', constraints({ defaultAddCapabilities: ['KILL'] })],
  ['allows all', constraints({ allowedCapabilities: ['*'] })],
  ['users of a range', constraints({ runAsUser: { type: 'MustRunAsRange' } })],
  ['any user', constraints({ runAsUser: { type: 'RunAsAny' } })],
  ['a way that is not known', constraints({ runAsUser: { type: 'Whatever' }, seLinuxContext: { type: 'RunAsAny' } })],
  ['volumes', constraints({ volumes: ['persistentVolumeClaim'] })],
  ['for runs', pipelinesConstraints as unknown as KubeObject],
  ['volumes of the host', constraints({ volumes: ['*'] })],
  ['network of the host', constraints({ allowHostNetwork: true })],
  ['ports of the host', constraints({ allowHostPorts: true })],
  ['privileged', constraints({ allowPrivilegedContainer: true })],
];

describe('the order of constraints', () => {
  it.each(order.map(([name, object], index) => ({ name, object, index })))('$name', ({ object, index }) => {
    for (const [other, [, each]] of order.entries())
      expect([other, allowsNoMore(object, each)]).toEqual([other, index <= other]);
  });
});
