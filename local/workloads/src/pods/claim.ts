import { type Client, type KindReference, mergePatch, ignoreNotFound } from '@tektite/client';
import { controllerOf, controllerReference, type KubeObject, type Selector } from '@tektite/meta';
import { isCurrent } from './is-current.ts';

/** Decides over the objects that a controller selects. */
export interface Claims<T> {
  /** Controlled by the owner, and selected. */
  readonly mine: readonly T[];
  /** Selected, and without a controller. */
  readonly adopt: readonly T[];
  /** Controlled by the owner, but no longer selected. */
  readonly release: readonly T[];
}

export interface ClaimOptions {
  /** Added to adopted objects and removed from released ones, in the same write. */
  readonly finalizer?: string;
}

/** Sorts objects of the owner's namespace by whom they belong to. */
export function sortClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: Selector,
  objects: Iterable<T>,
): Claims<T> {
  const mine: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const leaving = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const controller = controllerOf(object);
    const selected = selector.matches(object.metadata.labels);
    if (controller?.uid === owner.metadata.uid) {
      if (selected) mine.push(object);
      else if (!leaving) release.push(object);
    } else if (!controller && selected && !leaving && object.metadata.deletionTimestamp === undefined)
      adopt.push(object);
  }
  return { mine, adopt, release };
}

/**
 * Adopts selected objects without a controller, releases those that are no longer selected, and returns those that the
 * owner controls afterwards. Before an adoption it reads the owner from the server, because the cache may be stale.
 */
export async function claim<T extends KubeObject>(
  client: Client,
  ownerKind: KindReference<KubeObject>,
  owner: KubeObject,
  kind: KindReference<T>,
  { mine, adopt, release }: Claims<T>,
  options: ClaimOptions = {},
): Promise<readonly T[]> {
  const finalizers = (object: T, held: boolean) =>
    options.finalizer === undefined ? {} : { finalizers: withFinalizer(object, options.finalizer, held) };
  for (const object of release)
    await changeOwners(client, kind, object, {
      ownerReferences: without(object, owner.metadata.uid),
      ...finalizers(object, false),
    });
  if (adopt.length === 0) return mine;
  if (!(await isCurrent(client, ownerKind, owner))) return mine;
  const adopted: T[] = [];
  for (const object of adopt) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
    const changed = await changeOwners(client, kind, object, { ownerReferences, ...finalizers(object, true) });
    if (changed) adopted.push(changed);
  }
  return [...mine, ...adopted];
}

function without({ metadata }: KubeObject, uid: string | undefined) {
  const left = (metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
  return left.length > 0 ? left : null;
}

function withFinalizer({ metadata }: KubeObject, finalizer: string, held: boolean): readonly string[] {
  const others = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return held ? [...others, finalizer] : others;
}

async function changeOwners<T extends KubeObject>(
  client: Client,
  kind: KindReference<T>,
  { metadata }: T,
  changes: {
    readonly ownerReferences: KubeObject['metadata']['ownerReferences'] | null;
    readonly finalizers?: readonly string[];
  },
): Promise<T | undefined> {
  const { namespace = '', name = '', uid, resourceVersion } = metadata;
  return await client
    .patch(kind, { namespace, name }, mergePatch({ metadata: { uid, resourceVersion, ...changes } }))
    .catch(ignoreNotFound);
}
