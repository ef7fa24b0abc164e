import { setMaxListeners } from 'node:events';
import { ControllerError } from '../controller-error.ts';
import { BucketSet } from './bucket-set.ts';
import type { Ownership } from './ownership.ts';

/** A Pod of a StatefulSet, and how its keys are found. */
export interface OrdinalPlace {
  /** The StatefulSet's name. */
  readonly statefulSet: string;
  readonly ordinal: number;
  readonly service: string;
  readonly namespace: string;
  readonly buckets: number;
  /** Default `http`. */
  readonly protocol?: string;
  /** Default `80`. */
  readonly port?: string;
  /** Default `cluster.local`. */
  readonly clusterDomain?: string;
}

/**
 * Sharding without leases: Pod number N of a StatefulSet owns bucket number N, for ever. The StatefulSet sees to it that
 * there is no second one. The mapping is knative.dev/pkg's.
 *
 * @example
 * const place = ordinalPlace(process.env, { buckets: 3, namespace: 'tekton-pipelines' });
 * const ownership = place ? ordinalOwnership(place) : new BucketElection(client, options);
 */
export function ordinalOwnership(place: OrdinalPlace): Ownership {
  const { ordinal, buckets } = place;
  if (ordinal >= buckets)
    throw new ControllerError('ELECTION_INVALID', `ordinal ${ordinal} is out of range [0, ${buckets})`);
  const set = new BucketSet(Array.from({ length: buckets }, (_, index) => podAddress(place, index)));
  const own = podAddress(place, ordinal);
  const forEver = new AbortController().signal;
  const elsewhere = AbortSignal.abort(new ControllerError('LEASE_LOST', 'the key is another replica’s'));
  setMaxListeners(0, forEver, elsewhere);
  const owns = (key: string) => set.bucketOf(key) === own;
  return {
    owns,
    signalFor: (key) => (owns(key) ? forEver : elsewhere),
    onGained: () => ({ [Symbol.dispose]() {} }),
  };
}

function podAddress(place: OrdinalPlace, ordinal: number): string {
  const { protocol = 'http', port = '80', clusterDomain = 'cluster.local', statefulSet, service, namespace } = place;
  return `${protocol}://${statefulSet}-${ordinal}.${service}.${namespace}.svc.${clusterDomain}:${port}`;
}

/**
 * Reads the environment that a StatefulSet sets for its Pods: `STATEFUL_CONTROLLER_ORDINAL`, which is the Pod's name,
 * `STATEFUL_SERVICE_NAME`, and perhaps `STATEFUL_SERVICE_PORT`, `STATEFUL_SERVICE_PROTOCOL` and `CLUSTER_DOMAIN`.
 * Without the first two this is no such Pod. Throws `ELECTION_INVALID` for a name without a number.
 */
export function ordinalPlace(
  env: Readonly<Record<string, string | undefined>>,
  { buckets, namespace }: { readonly buckets: number; readonly namespace: string },
): OrdinalPlace | undefined {
  const { STATEFUL_CONTROLLER_ORDINAL: pod, STATEFUL_SERVICE_NAME: service, CLUSTER_DOMAIN: clusterDomain } = env;
  const { STATEFUL_SERVICE_PORT: port, STATEFUL_SERVICE_PROTOCOL: protocol } = env;
  if (!pod || !service) return undefined;
  const [, statefulSet, ordinal] = /^(.*)-([0-9]+)$/.exec(pod) ?? [];
  if (statefulSet === undefined)
    throw new ControllerError('ELECTION_INVALID', `"${pod}" is not a valid stateful set controller ordinal`);
  return {
    statefulSet,
    ordinal: Number(ordinal),
    service,
    namespace,
    buckets,
    ...(port ? { port } : {}),
    ...(protocol ? { protocol } : {}),
    ...(clusterDomain ? { clusterDomain } : {}),
  };
}
