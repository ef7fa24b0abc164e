import type { Storage } from '@tektite/apiserver';
import type { KubeObject } from '@tektite/meta';
import { touchedAnnotation } from '../world/interference.ts';

/** Objects by their name without the generated part; those of one generator are a sorted list. */
export type FinalState = ReadonlyMap<string, readonly unknown[]>;

const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const durationPattern = /\b(?:\d+(?:\.\d+)?(?:h|m|s|ms))+\b/g;
const tokenPattern = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g;

/** Kinds that tell how a state was reached, not what it is. */
const transientKinds = new Set(['Event', 'Lease']);

/** Metadata that differs from run to run, or counts the writes. */
const volatileMetadata = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'selfLink',
]);

/**
 * The state of a store without that which differs between two runs that both went well: uids, versions, times, generated names. A
 * reference to another object names that object.
 */
export function finalState(storage: Storage): FinalState {
  const objects = storage
    .list('')
    .entries.map(({ value }) => value)
    .filter(({ kind }) => !transientKinds.has(kind));
  const generated = generatedNames(objects);
  const hash = templateHashes(objects);
  const uids = new Map(objects.map((object) => [object.metadata.uid ?? '', identityOf(object, generated)]));
  const groups = new Map<string, unknown[]>();
  for (const object of objects) {
    const identity = identityOf(object, generated).replace(hash, '#');
    const group = groups.get(identity) ?? [];
    group.push(canonical(object, { generated, uids, hash }));
    groups.set(identity, group);
  }
  for (const group of groups.values()) group.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The generated names and what stands for them. */
function generatedNames(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { metadata } of objects) {
    const { name = '', generateName } = metadata;
    if (generateName !== undefined && generateName !== '' && name.startsWith(generateName))
      names.set(name, `${generateName}*`);
  }
  return names;
}

/**
 * The hashes of Pod templates. A Deployment that is recreated while the ReplicaSet of its predecessor still exists takes another one, as
 * upstream's does.
 */
function templateHashes(objects: readonly KubeObject[]): RegExp {
  const hashes = objects
    .map(({ metadata }) => metadata.labels?.['pod-template-hash'])
    .filter((hash) => hash !== undefined);
  return hashes.length === 0 ? /(?!)/ : new RegExp([...new Set(hashes)].join('|'), 'g');
}

function identityOf({ kind, metadata }: KubeObject, generated: ReadonlyMap<string, string>): string {
  const { namespace, name = '' } = metadata;
  const plain = (generated.get(name) ?? name).replace(uidPattern, '<uid>');
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${plain}`;
}

interface Typed {
  readonly type: string;
}

/** Conditions are a map by their type: their order only depends on which was written first. */
function isConditions(list: readonly unknown[]): list is readonly Typed[] {
  return list.length > 1 && list.every((item) => typeof (item as Partial<Typed> | null)?.type === 'string');
}

function byType(a: unknown, b: unknown): number {
  return (a as Typed).type < (b as Typed).type ? -1 : 1;
}

/** Another user's annotation is not the program's. */
function withoutTouches(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  if (metadata.annotations?.[touchedAnnotation] === undefined) return metadata;
  const { annotations = {}, ...rest } = metadata;
  const others = Object.entries(annotations).filter(([key]) => key !== touchedAnnotation);
  return others.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(others) };
}

interface Observing {
  readonly observedGeneration?: number;
}

interface Status extends Observing {
  readonly conditions?: readonly Observing[];
  /** Goes with the hashes of templates. */
  readonly collisionCount?: number;
}

/** Generations count writes: whether the newest was observed is what counts. */
function observedStatus({ collisionCount: _, ...status }: Status, generation: number | undefined): object {
  const mark = <T extends Observing>(holder: T) =>
    holder.observedGeneration === undefined
      ? holder
      : { ...holder, observedGeneration: holder.observedGeneration === generation ? 'current' : 'old' };
  const { conditions } = status;
  return mark({ ...status, ...(Array.isArray(conditions) ? { conditions: conditions.map(mark) } : {}) });
}

interface Names {
  readonly generated: ReadonlyMap<string, string>;
  readonly uids: ReadonlyMap<string, string>;
  readonly hash: RegExp;
}

function canonical(object: KubeObject, { generated, uids, hash }: Names): unknown {
  const plain = (text: string) =>
    text
      .replace(uidPattern, (uid) => `<${uids.get(uid) ?? 'uid'}>`)
      .replace(timePattern, '<time>')
      // Before durations: a generated name may match one.
      .replace(tokenPattern, (token) => generated.get(token) ?? token)
      .replace(durationPattern, '<duration>')
      .replace(hash, '#');
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return plain(value);
    if (Array.isArray(value)) return (isConditions(value) ? value.toSorted(byType) : value).map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, field]) => [plain(key), walk(field)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  const { metadata, ...rest } = object as KubeObject & { status?: Status };
  const kept = Object.fromEntries(
    Object.entries(withoutTouches(metadata)).filter(([key]) => !volatileMetadata.has(key)),
  );
  const observed = rest.status ? { status: observedStatus(rest.status, metadata.generation) } : {};
  return walk({ ...rest, ...observed, metadata: kept });
}
