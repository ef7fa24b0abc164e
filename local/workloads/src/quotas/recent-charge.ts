import { instantToMilliseconds, parseTime, Quantity } from '@tektite/meta';
import type { ResourceQuota } from '@tektite/schema/kubernetes';

type Usage = Readonly<Record<string, string>>;

/** Admission charges a quota just before the object is stored. After this time the object is in every list. */
const settleMs = 1000;
/** The times of managed fields are whole seconds. */
const timeGrainMs = 1000;
const admission = 'kube-apiserver';

/** Whether a recount would lower the usage of a resource. */
export function isLower(counted: Usage, recorded: Usage = {}): boolean {
  return Object.entries(counted).some(([name, amount]) => {
    const before = recorded[name];
    return before !== undefined && Quantity.parse(amount).compare(Quantity.parse(before)) < 0;
  });
}

/** The milliseconds until a count is certain to contain the object that admission charged last; zero if it does now. */
export function chargeSettlesIn({ metadata }: ResourceQuota, now: number): number {
  const charges = (metadata.managedFields ?? []).filter(
    ({ manager, subresource }) => manager === admission && subresource === 'status',
  );
  const last = Math.max(0, ...charges.map(({ time }) => (time ? instantToMilliseconds(parseTime(time)) : 0)));
  return Math.max(0, last + timeGrainMs + settleMs - now);
}
