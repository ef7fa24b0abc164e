import { type KnativeCondition, knativeConditionSet } from '@tektite/meta';
import type { EventListenerObject, EventListenerStatus } from '../../kinds/event-listener.ts';
import { generatedName, listenerUrl } from './listener-service.ts';

/** The outcome of serving a listener. */
export interface Observed {
  /** Why the Service could not be written. */
  readonly serviceError?: string;
  /** Why the listener cannot be served. */
  readonly servingError?: string;
  /** The address on this machine. */
  readonly localUrl?: string;
}

/** In the status of a listener: the address on the machine where it is served. */
export const urlAnnotation = 'triggers.tektite.dev/url';

const conditions = knativeConditionSet('Ready', ['Service', 'Deployment']);

/**
 * The status of a listener. There is no Deployment; its conditions say whether this process serves the listener, so that clients
 * that wait for them go on.
 */
export function decideStatus(
  listener: EventListenerObject,
  { serviceError, servingError, localUrl }: Observed,
  now: string,
): EventListenerStatus {
  const isServed = servingError === undefined;
  const parts: readonly KnativeCondition[] = [
    serviceError === undefined
      ? { type: 'Service', status: 'True', message: 'Service exists' }
      : { type: 'Service', status: 'False', message: serviceError },
    { type: 'Deployment', status: 'True', message: 'Deployment exists' },
    {
      type: 'Progressing',
      status: 'True',
      reason: isServed ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
      message: isServed ? 'The listener is served.' : 'The listener is not served yet.',
    },
    isServed
      ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'The listener is served.' }
      : { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: servingError },
  ];
  const known = (listener.status?.conditions ?? []) as readonly KnativeCondition[];
  const before = known.filter(({ type }) => type !== 'ReplicaFailure');
  const after = [...parts, readyOf(parts)].reduce<readonly KnativeCondition[]>(
    (all, part) => conditions.set(all, part, now),
    before,
  );
  return {
    ...(listener.metadata.generation === undefined ? {} : { observedGeneration: listener.metadata.generation }),
    conditions: after,
    ...(localUrl === undefined ? {} : { annotations: { [urlAnnotation]: localUrl } }),
    ...(serviceError === undefined ? { address: { url: listenerUrl(listener) } } : {}),
    configuration: { generatedName: generatedName(listener) },
  };
}

/** In upstream's order. */
function readyOf(parts: readonly KnativeCondition[]): KnativeCondition {
  const bad = parts.find(({ status }) => status !== 'True');
  if (!bad) return { type: 'Ready', status: 'True', message: 'EventListener is ready' };
  const message = `Condition ${bad.type} has status: ${bad.status} with message: ${bad.message}`;
  return { type: 'Ready', status: 'False', message };
}
