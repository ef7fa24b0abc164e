import type { Storage } from '@tektite/apiserver';
import type { KubeObject } from '@tektite/meta';

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
  const uids = new Map(objects.map((object) => [object.metadata.uid ?? '', identityOf(object, generated)]));
  const groups = new Map<string, unknown[]>();
  for (const object of objects) {
    const identity = identityOf(object, generated);
    const group = groups.get(identity) ?? [];
    group.push(canonical(object, generated, uids));
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

function identityOf({ kind, metadata }: KubeObject, generated: ReadonlyMap<string, string>): string {
  const { namespace, name = '' } = metadata;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${generated.get(name) ?? name}`;
}

function canonical(
  object: KubeObject,
  generated: ReadonlyMap<string, string>,
  uids: ReadonlyMap<string, string>,
): unknown {
  const plain = (text: string) =>
    text
      .replace(uidPattern, (uid) => `<${uids.get(uid) ?? 'uid'}>`)
      .replace(timePattern, '<time>')
      .replace(durationPattern, '<duration>')
      .replace(tokenPattern, (token) => generated.get(token) ?? token);
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return plain(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, field]) => [plain(key), walk(field)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  const { metadata, ...rest } = object as KubeObject & { status?: { observedGeneration?: number } };
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => !volatileMetadata.has(key)));
  const { status } = rest;
  const observed =
    status?.observedGeneration === undefined
      ? {}
      : {
          status: {
            ...status,
            observedGeneration: status.observedGeneration === metadata.generation ? 'current' : 'old',
          },
        };
  return walk({ ...rest, ...observed, metadata: kept });
}
