import type { ObjectMeta } from '@tektite/meta';
import type { Event, EventSource, EventsV1Event, ObjectReference } from '@tektite/schema/kubernetes';

/** An event of either group, with the names that the older one gives to its fields. */
export interface EventView {
  readonly metadata: ObjectMeta;
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly source: EventSource;
  readonly firstTimestamp: string | undefined;
  readonly lastTimestamp: string | undefined;
  readonly count: number;
  readonly type: string;
  readonly eventTime: string | undefined;
  readonly series: { readonly count?: number; readonly lastObservedTime?: string | null } | undefined;
  readonly action: string;
  readonly related: ObjectReference | undefined;
  readonly reportingController: string;
  readonly reportingInstance: string;
}

export function viewCoreEvent(event: Event): EventView {
  const { metadata, involvedObject = {}, source = {}, reason = '', message = '', count = 0, type = '' } = event;
  return {
    metadata,
    involvedObject,
    reason,
    message,
    source,
    firstTimestamp: event.firstTimestamp ?? undefined,
    lastTimestamp: event.lastTimestamp ?? undefined,
    count,
    type,
    eventTime: event.eventTime ?? undefined,
    series: event.series,
    action: event.action ?? '',
    related: event.related,
    reportingController: event.reportingComponent ?? '',
    reportingInstance: event.reportingInstance ?? '',
  };
}

export function viewEvent(event: EventsV1Event): EventView {
  const { metadata, regarding = {}, deprecatedSource = {}, reason = '', note = '', type = '' } = event;
  return {
    metadata,
    involvedObject: regarding,
    reason,
    message: note,
    source: deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp ?? undefined,
    lastTimestamp: event.deprecatedLastTimestamp ?? undefined,
    count: event.deprecatedCount ?? 0,
    type,
    eventTime: event.eventTime ?? undefined,
    series: event.series,
    action: event.action ?? '',
    related: event.related,
    reportingController: event.reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  };
}

/** Selectors are asked about events as they are stored, and those are in the older form. */
export function viewEitherEvent(event: Event | EventsV1Event): EventView {
  return event.apiVersion === 'v1' ? viewCoreEvent(event as Event) : viewEvent(event as EventsV1Event);
}
