import { expect, test } from 'vitest';
import { capabilityMask, UnknownCapabilityError } from './capability-set.ts';

const bit = (number: number) => 1n << BigInt(number);
const [chown, netRaw, sysChroot, sysPtrace, sysAdmin, mknod] = [0, 13, 18, 19, 21, 27].map(bit) as [
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
];

test('capabilities are the usual ones, without what would open the machine', () => {
  const set = capabilityMask({ add: [], drop: [] }, false);
  expect(set & chown).not.toBe(0n);
  for (const capability of [netRaw, sysChroot, sysPtrace, sysAdmin, mknod]) expect(set & capability).toBe(0n);
});

test('capabilities are added and dropped by name', () => {
  expect(capabilityMask({ add: ['CAP_NET_RAW'], drop: ['all'] }, false)).toBe(netRaw);
  expect(capabilityMask({ add: [], drop: ['chown'] }, false) & chown).toBe(0n);
  expect(capabilityMask({ add: [], drop: [] }, true)).toBe(bit(41) - 1n);
  expect(capabilityMask({ add: ['ALL'], drop: [] }, false)).toBe(bit(41) - 1n);
  expect(() => capabilityMask({ add: ['FLY,+sys_admin'], drop: [] }, false)).toThrow(UnknownCapabilityError);
});
