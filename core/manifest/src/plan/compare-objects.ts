import { cloneJson, type DynamicObject, equalJson, type Mutable } from '@tektite/meta';
import { childOf, isMapping, listAt, mappingAt } from '../field-value.ts';
import { canonicalHash } from '../hash/canonical-hash.ts';
import { redactSecret } from '../redact-secret.ts';
import type { PlannedChange } from './plan.ts';

/** Fields that only the server writes, or that are not part of the desired state. */
const serverMetadata = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'];

/** An object with what a person would compare: without status and the server's own metadata, and without the values of Secrets. */
export function comparable(object: DynamicObject): DynamicObject {
  const copy = cloneJson(withoutEmptyTimes(object));
  for (const field of serverMetadata) delete (copy.metadata as Record<string, unknown>)[field];
  delete copy.status;
  // Controllers write these rules; who aggregates does not.
  if (copy.kind === 'ClusterRole' && copy.aggregationRule !== undefined) delete copy.rules;
  return (copy.kind === 'Secret' && copy.apiVersion === 'v1' ? redactSecret(copy) : copy) as DynamicObject;
}

/** Older servers write `creationTimestamp: null` into every template, newer ones do not: it is the same. */
export function withoutEmptyTimes<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmptyTimes) as T;
  if (!isMapping(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === 'creationTimestamp' && value[key] === null) continue;
    const each = withoutEmptyTimes(value[key]);
    Object.defineProperty(result, key, { value: each, enumerable: true, configurable: true, writable: true });
  }
  return result as T;
}

/** Stands for values that the server generates: uids, and addresses and ports that the author did not set. */
const knownLater = '(known after apply)';

/** An object as it would be created, without what will be something else when it really is. */
export function withoutChance(made: DynamicObject, wanted: DynamicObject): DynamicObject {
  const { uid } = made.metadata;
  const copy = (uid ? replaceText(made, uid) : cloneJson(made)) as Mutable<DynamicObject>;
  const spec = mappingAt(copy, 'spec');
  if (copy.kind !== 'Service' || copy.apiVersion !== 'v1' || !spec) return copy as DynamicObject;
  const chosen = (parent: unknown, field: string) => childOf(parent, field) !== undefined;
  if (spec.clusterIP !== undefined && spec.clusterIP !== 'None' && !chosen(wanted.spec, 'clusterIP')) {
    spec.clusterIP = knownLater;
    spec.clusterIPs = listAt(spec, 'clusterIPs').map(() => knownLater);
  }
  if (spec.healthCheckNodePort !== undefined && !chosen(wanted.spec, 'healthCheckNodePort'))
    spec.healthCheckNodePort = knownLater;
  const ports = listAt(wanted, 'spec', 'ports');
  listAt(spec, 'ports').forEach((port, index) => {
    if (isMapping(port) && port.nodePort !== undefined && !chosen(ports[index], 'nodePort')) port.nodePort = knownLater;
  });
  return copy as DynamicObject;
}

/** Labels and selectors of Jobs have their uid in them. */
function replaceText(value: unknown, text: string): unknown {
  if (value === text) return knownLater;
  if (Array.isArray(value)) return value.map((item) => replaceText(item, text));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaceText(each, text)]));
}

/** Which fields differ, by JSON pointer. */
export function compareObjects(before: unknown, after: unknown, ignore: readonly string[] = []): PlannedChange[] {
  const changes: PlannedChange[] = [];
  walk(before, after, '', changes, ignore);
  return changes;
}

function walk(a: unknown, b: unknown, path: string, changes: PlannedChange[], ignore: readonly string[]): void {
  if (ignore.some((each) => path === each || path.startsWith(`${each}/`)) || equalJson(a, b)) return;
  if (isMapping(a) && isMapping(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      walk(childOf(a, key), childOf(b, key), `${path}/${escape(key)}`, changes, ignore);
  } else if (Array.isArray(a) && Array.isArray(b)) {
    for (let index = 0; index < Math.max(a.length, b.length); index++)
      walk(a[index], b[index], `${path}/${index}`, changes, ignore);
  } else changes.push({ path, ...(a === undefined ? {} : { old: a }), ...(b === undefined ? {} : { new: b }) });
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Says whether an object is still what a plan was made for: its content, and who owns which fields. Status and times do not
 * count, for controllers never rest.
 */
export function fingerprint(live: DynamicObject | undefined): string {
  if (!live) return 'absent';
  const { managedFields = [], resourceVersion: _, generation: __, ...metadata } = live.metadata;
  const owners = managedFields
    .filter(({ subresource }) => !subresource)
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
  const { status: ___, ...rest } = live;
  return canonicalHash({ ...rest, metadata: { ...metadata, owners } });
}
