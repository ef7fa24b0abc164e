import { createHash } from 'node:crypto';
import type { KubeObject } from '@tektite/meta';
import type { ByoHost } from '../kinds/byo-host.ts';
import { cleanupAnnotation, machineNameAnnotation, machineNameLabel } from '../wire-names.ts';

const maxLength = 63;

/**
 * The label value of a machine on its host: `namespace.name`. One that is too long is cut and gets a hash; the
 * annotation then has all of it.
 */
export function machineLabel(namespace: string, name: string): string {
  const full = `${namespace}.${name}`;
  if (full.length <= maxLength) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 10);
  return `${full.slice(0, maxLength - hash.length - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/**
 * Whether a host belongs to this machine, and not to a deleted one of the same name: such a host is still being cleaned
 * up.
 */
export function belongsTo({ metadata, status }: ByoHost, machine: Pick<KubeObject, 'metadata'>): boolean {
  const { namespace = '', name = '', uid } = machine.metadata;
  const full = metadata.annotations?.[machineNameAnnotation];
  const known = status?.machineRef?.uid;
  const isGoing = Object.hasOwn(metadata.annotations ?? {}, cleanupAnnotation);
  return (
    metadata.labels?.[machineNameLabel] === machineLabel(namespace, name) &&
    (full === undefined || full === `${namespace}.${name}`) &&
    (known === undefined ? !isGoing : known === uid)
  );
}
