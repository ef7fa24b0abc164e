import { type Client, isClientError } from '@tektite/client';
import { groupKindOf, type ObjectReference, referenceTo } from '@tektite/manifest';
import { type DynamicObject, equalJson, type KubeObject, sleep } from '@tektite/meta';
import type { ChangeAction, ObjectChange } from './act-on-object.ts';
import { autoscalerIn, listAutoscalers } from './autoscalers.ts';
import type { InstallerDialect, InstallPhase, ObjectScope } from './dialect.ts';
import type { InstallOptions } from './install-options.ts';
import type { InstallerSet, InventoryEntry } from './installer-set.ts';
import { entryKey, entryOf, objectKey } from './inventory.ts';
import type { InstallMethod, Surroundings } from './method/install-method.ts';
import { withOwners } from './owner-rule.ts';
import { phaseOf } from './phase-of.ts';
import { readObject } from './read-object.ts';
import { setScopes } from './set-scopes.ts';

/** How long a kind may take to be served after its definition was made. */
const definitionPausesMs = [50, 100, 200, 400, 800];

/** An object that others deleted, and the condition that reports its phase. */
export interface RestoredObject {
  readonly object: ObjectReference;
  readonly condition?: string;
}

/** The state of one installation of a set: the wanted objects, the live objects seen so far, the changes made. */
export class SetInstallation {
  readonly client: Client;
  readonly self: KubeObject;
  readonly dialect: InstallerDialect;
  readonly options: InstallOptions;
  /** With owners, each object once. */
  readonly wanted: readonly DynamicObject[];
  readonly changes: ObjectChange[] = [];
  private readonly created: DynamicObject[] = [];
  private readonly scopeOf: (object: DynamicObject) => ObjectScope | undefined;
  private readonly phaseOf = new Map<DynamicObject, InstallPhase>();
  private readonly seen = new Map<string, DynamicObject>();
  private readonly autoscalers = new Map<string, Promise<readonly DynamicObject[]>>();
  private readonly defined: ReadonlySet<string>;

  private constructor(
    client: Client,
    set: InstallerSet,
    dialect: InstallerDialect,
    options: InstallOptions,
    scopeOf: (object: DynamicObject) => ObjectScope | undefined,
  ) {
    this.client = client;
    this.self = set.self;
    this.dialect = dialect;
    this.options = options;
    this.scopeOf = scopeOf;
    this.wanted = lastOfEach(set.objects).map((object) => ownedObject(object, dialect, set.self));
    this.defined = new Set(set.objects.flatMap(definedKind));
    for (const object of this.wanted) {
      const phase = phaseOf(dialect, object, scopeOf(object));
      if (phase) this.phaseOf.set(object, phase);
    }
  }

  static async start(
    client: Client,
    set: InstallerSet,
    dialect: InstallerDialect,
    options: InstallOptions,
  ): Promise<SetInstallation> {
    return new SetInstallation(client, set, dialect, options, await setScopes(client, set.objects));
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  /** The objects that a phase creates, or that it checks when it creates none. */
  objectsOf(phase: InstallPhase): readonly DynamicObject[] {
    if (phase.install) return this.wanted.filter((object) => this.phaseOf.get(object) === phase);
    return this.wanted.filter((object) => phase.accepts(object, this.scopeOf(object)));
  }

  /** The object that a method sends. */
  async prepare(object: DynamicObject, method: InstallMethod): Promise<DynamicObject> {
    const prepared = method.prepare(object, await this.surroundingsOf(object, method));
    return this.placed(prepared);
  }

  /** As the server has it. */
  async read(object: DynamicObject): Promise<DynamicObject | undefined> {
    const reference = referenceTo(this.placed(object));
    const live = await this.whenServed(object, () => this.readReference(reference));
    if (live) this.see(object, live);
    else this.seen.delete(objectKey(object));
    return live;
  }

  readReference(reference: ObjectReference): Promise<DynamicObject | undefined> {
    return this.options.read?.(reference) ?? readObject(this.client, reference, this.signal);
  }

  /** The object as it was last seen during this installation. */
  lastSeen(object: DynamicObject): DynamicObject | undefined {
    return this.seen.get(objectKey(object));
  }

  see(object: DynamicObject, live: DynamicObject): void {
    this.seen.set(objectKey(object), live);
  }

  record(object: DynamicObject, action: ChangeAction, why?: string): void {
    this.changes.push({ object: referenceTo(this.placed(object)), action, ...(why ? { why } : {}) });
    if (action === 'created') this.created.push(object);
    if (object.kind === 'CustomResourceDefinition') this.client.discovery.forget();
  }

  /** The created objects that were there before: others deleted them. */
  restored(before: readonly InventoryEntry[]): readonly RestoredObject[] {
    if (this.created.length === 0) return [];
    const known = new Set(before.filter(({ uid }) => uid !== undefined).map(entryKey));
    return this.created.flatMap((object) => {
      const placed = this.placed(object);
      const condition = this.phaseOf.get(object)?.condition;
      return known.has(objectKey(placed)) ? [{ object: referenceTo(placed), ...(condition ? { condition } : {}) }] : [];
    });
  }

  /** The current inventory, as far as this installation observed it; other entries are kept. */
  inventory(before: readonly InventoryEntry[], settled: ReadonlySet<string> = new Set()): readonly InventoryEntry[] {
    const old = new Map(before.map((entry) => [entryKey(entry), entry]));
    const entries = this.wanted.map((object) => {
      const live = this.lastSeen(object);
      const placed = this.placed(object);
      const known = old.get(objectKey(placed));
      old.delete(objectKey(placed));
      if (!live) return known ?? entryOf(placed);
      const hash = this.methodOf(object)?.hash?.(object);
      return entryOf({ ...placed, metadata: { ...placed.metadata, uid: live.metadata.uid ?? '' } }, hash);
    });
    const all = [...entries, ...[...old.values()].filter((entry) => !settled.has(entryKey(entry)))];
    return equalJson(all, before) ? before : all;
  }

  methodOf(object: DynamicObject): InstallMethod | undefined {
    const install = this.phaseOf.get(object)?.install;
    return typeof install === 'function' ? install(object) : install;
  }

  private async surroundingsOf(object: DynamicObject, method: InstallMethod): Promise<Surroundings> {
    if (!method.scales?.(object)) return {};
    const namespace = object.metadata.namespace ?? '';
    const known = this.autoscalers.get(namespace) ?? listAutoscalers(this.client, namespace, this.signal);
    this.autoscalers.set(namespace, known);
    const autoscaler = autoscalerIn(await known, object);
    return autoscaler ? { autoscaler } : {};
  }

  /** An object in no namespace is not sent with one, whatever was written. */
  placed(object: DynamicObject): DynamicObject {
    if (!object.metadata.namespace || this.scopeOf(object) !== 'Cluster') return object;
    const { namespace: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  }

  /** Kinds that the set itself defines may take a moment to be served. */
  private async whenServed<T>(object: DynamicObject, work: () => Promise<T>): Promise<T> {
    for (const pause of definitionPausesMs) {
      try {
        return await work();
      } catch (error) {
        if (!isClientError(error, 'UNKNOWN_KIND') || !this.defined.has(groupKindOf(object))) throw error;
        this.client.discovery.forget();
        await sleep(this.client.clock, pause, this.signal);
      }
    }
    return work();
  }
}

/** Owners are part of what is hashed: as long as they are the same, so is the object. */
const ownedObjects = new WeakMap<DynamicObject, DynamicObject>();

function ownedObject(object: DynamicObject, dialect: InstallerDialect, self: KubeObject): DynamicObject {
  const known = ownedObjects.get(object);
  const owned = withOwners(object, dialect.owners, self);
  if (known && equalJson(known.metadata.ownerReferences, owned.metadata.ownerReferences)) return known;
  ownedObjects.set(object, owned);
  return owned;
}

/** Of objects that are the same one, the last counts. */
function lastOfEach(objects: readonly DynamicObject[]): readonly DynamicObject[] {
  const last = new Map<string, DynamicObject>();
  for (const object of objects) last.set(objectKey(object), object);
  return last.size === objects.length ? objects : [...last.values()];
}

function definedKind(object: DynamicObject): string[] {
  if (object.kind !== 'CustomResourceDefinition') return [];
  const { group, names } = (object.spec ?? {}) as { group?: string; names?: { kind?: string } };
  return group && names?.kind ? [`${names.kind}.${group}`] : [];
}
