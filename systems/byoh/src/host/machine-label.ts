import { createHash } from 'node:crypto';
import type { KubeObject } from '@tektite/meta';
import type { ByoHost } from '../kinds/byo-host.ts';
import { cleanupAnnotation, machineNameAnnotation, machineNameLabel } from '../wire-names.ts';

const longest = 63;

/**
 * What a host's label says of its machine: `namespace.name`. Of one that is too long for a label, the beginning and a hash;
 * the annotation then has all of it.
 */
export function machineLabel(namespace: string, name: string): string {
  const full = `${namespace}.${name}`;
  if (full.length <= longest) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 10);
  return `${full.slice(0, longest - hash.length - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/**
 * Whether a host says that it belongs to this machine, and not to an earlier one of the same name that is gone: such a host
 * is still being cleaned up.
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
