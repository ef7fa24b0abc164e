import {
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validateDns1123Subdomain,
  validateQualifiedName,
  type KubeObject,
  required,
  utf8Length,
} from '@tektite/meta';
import type { Event, EventsV1Event } from '@tektite/schema/kubernetes';
import type { KindStrategy, TablePrinter } from '../../kind-strategy.ts';
import { checkImmutable, checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { nameOf, since } from '../table/cells.ts';
import { eventColumns } from './columns.ts';
import { type EventView, viewCoreEvent, viewEitherEvent, viewEvent } from './event-view.ts';

/** The rules that events of both groups follow; the older group has no others. */
function validateLegacy(event: EventView, controllerField: string): FieldError[] {
  const errors: FieldError[] = [];
  const { namespace = '' } = event.metadata;
  const about = event.involvedObject.namespace ?? '';
  const mismatch = invalid('involvedObject.namespace', about, 'does not match event.namespace');
  if (event.eventTime === undefined) {
    const fits = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
    if (!fits) errors.push(mismatch);
  } else {
    if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch);
    if (event.reportingController === '') errors.push(required(controllerField));
    checkText(event.reportingController, validateQualifiedName, FieldPath.of(controllerField), errors);
    checkLength(event.reportingInstance, 'reportingInstance', 128, errors);
    checkLength(event.action, 'action', 128, errors);
    checkLength(event.reason, 'reason', 128, errors);
    if (utf8Length(event.message) > 1024) errors.push(invalid('message', '', 'can have at most 1024 characters'));
  }
  checkText(namespace, validateDns1123Subdomain, FieldPath.of('namespace'), errors);
  return errors;
}

function checkLength(value: string, field: string, max: number, errors: FieldError[]): void {
  if (value === '') errors.push(required(field));
  if (utf8Length(value) > max) errors.push(invalid(field, '', `can have at most ${max} characters`));
}

function validateSeries({ series }: EventView): FieldError[] {
  const errors: FieldError[] = [];
  if (!series) return errors;
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
  return errors;
}

/** Events of the newer group are written in the newer way. */
function validateNew(event: EventView): FieldError[] {
  const errors = [...validateLegacy(event, 'reportingController'), ...validateSeries(event)];
  if (event.eventTime === undefined) errors.push(required('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid('type', '', `has invalid value: ${event.type}`));
  const old = [
    ['firstTimestamp', event.firstTimestamp !== undefined],
    ['lastTimestamp', event.lastTimestamp !== undefined],
    ['count', event.count !== 0],
    ['source', Boolean(event.source.component || event.source.host)],
  ] as const;
  for (const [field, set] of old) if (set) errors.push(invalid(field, '', 'needs to be unset'));
  return errors;
}

/** Of an event of the newer group only the series changes. */
function validateChange(event: EventView, old: EventView): FieldError[] {
  const errors = validateLegacy(event, 'reportingController');
  if (!equalJson(event.series, old.series)) errors.push(...validateSeries(event));
  const immutable = (field: keyof EventView, print?: (value: unknown) => unknown) =>
    checkImmutable(event[field], old[field], FieldPath.of(field), errors, print);
  const reference = (value: unknown) => (value ? goValue('ObjectReference', value) : null);
  immutable('involvedObject', reference);
  immutable('reason');
  immutable('message');
  immutable('source', (value) => goValue('EventSource', value));
  immutable('firstTimestamp', (value) => value ?? null);
  immutable('lastTimestamp', (value) => value ?? null);
  immutable('count');
  immutable('reason');
  immutable('type');
  immutable('eventTime', (value) => value ?? null);
  immutable('action');
  immutable('related', reference);
  immutable('reportingController');
  immutable('reportingInstance');
  return errors;
}

function fieldsOf(event: EventView, about: string, controller: string): Record<string, string> {
  const { involvedObject: object } = event;
  return {
    [`${about}.kind`]: object.kind ?? '',
    [`${about}.namespace`]: object.namespace ?? '',
    [`${about}.name`]: object.name ?? '',
    [`${about}.uid`]: object.uid ?? '',
    [`${about}.apiVersion`]: object.apiVersion ?? '',
    [`${about}.resourceVersion`]: object.resourceVersion ?? '',
    [`${about}.fieldPath`]: object.fieldPath ?? '',
    reason: event.reason,
    [controller]: event.reportingController,
    type: event.type,
  };
}

const aboutFields = (about: string): string[] =>
  ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (field) => `${about}.${field}`,
  );

function eventTable<T extends KubeObject>(view: (event: T) => EventView): TablePrinter<T> {
  return {
    columns: eventColumns,
    row(object, { now }) {
      const event = view(object);
      const { involvedObject, series, source } = event;
      const first = since(event.firstTimestamp ?? event.eventTime, now);
      const last = event.lastTimestamp === undefined ? first : since(event.lastTimestamp, now);
      const kind = (involvedObject.kind ?? '').toLowerCase();
      const component = source.component || event.reportingController;
      const host = source.host || event.reportingInstance;
      return [
        series ? since(series.lastObservedTime, now) : last,
        event.type,
        event.reason,
        involvedObject.name ? `${kind}/${involvedObject.name}` : kind,
        involvedObject.fieldPath ?? '',
        host === '' ? component : `${component}, ${host}`,
        event.message.trim(),
        first,
        series ? (series.count ?? 0) : event.count || 1,
        nameOf(object),
      ];
    },
  };
}

export const coreEventStrategy: KindStrategy<Event> = {
  metadataRules: { onCreate: false, onUpdate: 'none' },
  validateCreate: (event) => validateLegacy(viewCoreEvent(event), 'reportingComponent'),
  validateUpdate: (event) => validateLegacy(viewCoreEvent(event), 'reportingComponent'),
  selectableFields: [...aboutFields('involvedObject'), 'reason', 'reportingComponent', 'source', 'type'],
  fields(object) {
    const event = viewCoreEvent(object);
    return {
      ...fieldsOf(event, 'involvedObject', 'reportingComponent'),
      source: event.source.component || event.reportingController,
    };
  },
  table: eventTable(viewCoreEvent),
  allowCreateOnUpdate: true,
};

export const eventStrategy: KindStrategy<EventsV1Event> = {
  errorGroup: '',
  validateCreate: (event) => validateNew(viewEvent(event)),
  validateUpdate: (event, old) => validateChange(viewEvent(event), viewEvent(old)),
  selectableFields: [...aboutFields('regarding'), 'reason', 'reportingController', 'type'],
  fields: (event) => fieldsOf(viewEitherEvent(event), 'regarding', 'reportingController'),
  table: eventTable(viewEvent),
  allowCreateOnUpdate: true,
};
