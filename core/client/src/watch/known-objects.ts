import type { KubeObject } from '@tektite/meta';

/** A deleted object whose last state was not observed. */
export interface VanishedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

interface Known extends VanishedObject {
  readonly resourceVersion: string;
}

/**
 * The names and versions of the objects that a watcher has delivered. The objects are not kept. Reduces the server's
 * events to those that are new.
 */
export class KnownObjects {
  private known = new Map<string, Known>();

  /** Events for an object from a list, or from an ADDED or MODIFIED event; none when it was delivered before. */
  *seen(object: KubeObject): Generator<{ type: 'added' | 'modified' } | { type: 'vanished'; object: VanishedObject }> {
    const key = keyText(object);
    const before = this.known.get(key);
    const now = describe(object);
    if (before?.uid === now.uid && before.resourceVersion === now.resourceVersion) return;
    this.known.set(key, now);
    // Another object took the name while the watch was interrupted.
    if (before && before.uid !== now.uid) yield { type: 'vanished', object: publicPart(before) };
    yield { type: before && before.uid === now.uid ? 'modified' : 'added' };
  }

  /** Whether a DELETED event is news. */
  deleted(object: KubeObject): boolean {
    return this.known.delete(keyText(object));
  }

  /** Forgets the objects that a complete list does not have, and says which. The keys are those of {@link keyText}. */
  retain(present: ReadonlySet<string>): VanishedObject[] {
    const vanished: VanishedObject[] = [];
    for (const [key, entry] of this.known) {
      if (present.has(key)) continue;
      this.known.delete(key);
      vanished.push(publicPart(entry));
    }
    return vanished;
  }
}

export function keyText({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function describe({ metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }: KubeObject): Known {
  return { namespace, name, uid, resourceVersion };
}

function publicPart({ namespace, name, uid }: Known): VanishedObject {
  return { namespace, name, uid };
}
