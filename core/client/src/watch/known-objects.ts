import type { KubeObject } from '@tektite/meta';

/** An object that is gone, of which nobody saw the end. */
export interface VanishedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

interface Known extends VanishedObject {
  readonly resourceVersion: string;
}

/**
 * What a watcher was told so far: which objects there are, and in which version. Objects themselves are not kept.
 * Turns what the server says into what is news.
 */
export class KnownObjects {
  private known = new Map<string, Known>();

  /** What an object in a list, or in an ADDED or MODIFIED event, means; nothing when it was told before. */
  *seen(object: KubeObject): Generator<{ type: 'added' | 'modified' } | { type: 'vanished'; object: VanishedObject }> {
    const key = keyText(object);
    const before = this.known.get(key);
    const now = describe(object);
    if (before?.uid === now.uid && before.resourceVersion === now.resourceVersion) return;
    this.known.set(key, now);
    // Another object took the name while nobody looked.
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
