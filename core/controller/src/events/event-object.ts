import type { Event, EventsV1Event } from '@tektite/schema/kubernetes';
import { formatMicroTime, formatTime } from '@tektite/meta';
import { cutMessage, type EventReference, eventReference, type EventText } from './event-text.ts';
import type { Correlation } from './event-correlator.ts';

/** Who reports. */
export interface EventReporter {
  /** The controller: `memcached-operator`. */
  readonly component: string;
  /** Which process of it. Default the component. */
  readonly instance?: string;
}

/** Upstream names events by the object and the nanosecond, in hexadecimal; ours make milliseconds unique by a counter. */
export function eventName(object: EventReference, now: number, counter: number): string {
  const nanoseconds = BigInt(Math.trunc(now)) * 1_000_000n + BigInt(counter % 1_000_000);
  // Room for the dot and sixteen digits in what a name may have.
  return `${object.name.slice(0, 236)}.${nanoseconds.toString(16)}`;
}

export function coreEvent(
  name: string,
  object: EventReference,
  text: EventText,
  { message, at, count }: { message: string; at: number; count: number },
  now: number,
  { component, instance }: EventReporter,
): Event {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: object.namespace ?? 'default' },
    involvedObject: object,
    reason: text.reason,
    message: cutMessage(message),
    type: text.type ?? 'Normal',
    source: { component },
    firstTimestamp: formatTime(at),
    lastTimestamp: formatTime(now),
    count,
    reportingComponent: component,
    reportingInstance: instance ?? '',
    ...(text.related ? { related: eventReference(text.related) } : {}),
  } as Event;
}

export function seriesEvent(
  name: string,
  object: EventReference,
  text: EventText,
  { message, at, count }: { message: string; at: number; count: number },
  now: number,
  { component, instance }: EventReporter,
): EventsV1Event {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: object.namespace ?? 'default' },
    eventTime: formatMicroTime(at),
    reportingController: component,
    reportingInstance: instance ?? component,
    action: text.action ?? text.reason,
    reason: text.reason,
    regarding: object,
    note: cutMessage(message),
    type: text.type ?? 'Normal',
    ...(count > 1 ? { series: { count, lastObservedTime: formatMicroTime(now) } } : {}),
    ...(text.related ? { related: eventReference(text.related) } : {}),
  } as EventsV1Event;
}

/** The changes of a repetition to an existing Event. */
export function repetition(
  api: 'v1' | 'events.k8s.io/v1',
  correlation: Extract<Correlation, { type: 'count' }>,
  now: number,
): object {
  const { count, message } = correlation;
  if (api === 'v1') return { count, lastTimestamp: formatTime(now), message: cutMessage(message) };
  return { series: { count, lastObservedTime: formatMicroTime(now) } };
}
