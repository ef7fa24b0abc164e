import { cloneJson, deepFreeze, type DynamicObject, type Mutable } from '@tektite/meta';
import { isManifestError, ManifestError } from './manifest-error.ts';
import { describeObject } from './object-identity.ts';
import { formatOrigin, type ManifestItem, type Origin } from './origin.ts';

/** Whether an object is meant. */
export type Predicate = (object: DynamicObject, origin: Origin) => boolean;

/** An object as a transform may change it. */
export type DraftObject = Mutable<DynamicObject>;

/**
 * Changes an object: the given draft, or by returning another one. Errors name the transform. `undefined` among
 * transforms is skipped, so that one can be left out by a condition.
 */
export type Transform = (draft: DraftObject, origin: Origin) => DynamicObject | void;

/**
 * Objects in an order. A value: nothing changes it, every operation gives a new one. Objects are frozen.
 *
 * @example
 * const all = await loadManifest({ kind: 'path', path: 'release.yaml' });
 * const crds = all.filter(isDefinition());
 * const mine = all.filter(not(isDefinition())).transform(injectNamespace('tekton-pipelines'));
 */
export class Manifest {
  readonly items: readonly ManifestItem[];

  constructor(items: readonly ManifestItem[] = []) {
    this.items = Object.freeze(items.map((item) => Object.freeze({ ...item, object: deepFreeze(item.object) })));
  }

  static of(objects: readonly DynamicObject[], source = 'objects'): Manifest {
    return new Manifest(objects.map((object, index) => ({ object: cloneJson(object), origin: { source, index } })));
  }

  get objects(): readonly DynamicObject[] {
    return this.items.map(({ object }) => object);
  }

  get size(): number {
    return this.items.length;
  }

  /** The objects that all predicates accept. */
  filter(...predicates: readonly Predicate[]): Manifest {
    return new Manifest(
      this.items.filter(({ object, origin }) => predicates.every((accepts) => accepts(object, origin))),
    );
  }

  /** Every object through all transforms, in order. All or nothing: the first failure is thrown, and says where. */
  transform(...transforms: readonly (Transform | undefined)[]): Manifest {
    const steps = transforms.filter((step) => step !== undefined);
    if (steps.length === 0) return this;
    return new Manifest(this.items.map((item) => transformed(item, steps)));
  }

  /** This one's objects, then theirs. */
  append(...others: readonly Manifest[]): Manifest {
    return new Manifest([...this.items, ...others.flatMap(({ items }) => items)]);
  }

  /** The last of objects that are the same one, at the place of the first. */
  withoutDuplicates(identity: (object: DynamicObject) => string): Manifest {
    const byKey = new Map<string, ManifestItem>();
    this.items.forEach((item, index) => {
      byKey.set(item.object.metadata.name ? identity(item.object) : `#${index}`, item);
    });
    return byKey.size === this.items.length ? this : new Manifest([...byKey.values()]);
  }
}

function transformed({ object, origin }: ManifestItem, steps: readonly Transform[]): ManifestItem {
  let draft = cloneJson(object);
  for (const step of steps) {
    try {
      const other = step(draft, origin);
      if (other) draft = (Object.isFrozen(other) ? cloneJson(other) : other) as DraftObject;
    } catch (error) {
      const name = step.name || 'a transform';
      const code = isManifestError(error) ? error.code : 'TRANSFORM';
      const text = `${formatOrigin(origin)}: ${describeObject(object)}: ${name}: ${(error as Error).message}`;
      throw new ManifestError(code, text, { cause: error, place: origin });
    }
  }
  return { object: draft, origin };
}
