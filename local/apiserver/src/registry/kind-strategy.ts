import type { FieldError, KubeObject, Mutable, Random } from '@tektite/meta';

/** The request context of a strategy. Strategies do no I/O. */
export interface StrategyContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly dryRun?: boolean;
  readonly user: {
    readonly name: string;
    readonly groups: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** Present where Services get addresses and ports; read again for each write. */
  serviceNetwork?(): ServiceNetwork;
}

/** The ranges for Services, and the allocated part of them. */
export interface ServiceNetwork {
  /** The range of cluster addresses, such as `10.0.0.0/24`. */
  readonly range: string;
  readonly nodePorts: { readonly first: number; readonly last: number };
  readonly takenAddresses: ReadonlySet<string>;
  readonly takenPorts: ReadonlySet<number>;
  /** Nothing is allocated, so upstream does not search a free address, nor checks the range of ports. */
  readonly dryRun?: boolean;
  readonly random: Random;
}

/** One column of a Table. `priority` 0 is shown always, 1 with `-o wide`. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  readonly priority: number;
}

/** A value of a Table row; objects and lists never appear. */
export type TableCell = string | number | bigint | boolean | null;

/** How `kubectl get` shows objects of a kind. */
export interface TablePrinter<T extends KubeObject> {
  readonly columns: readonly TableColumn[];
  /** The cells of one object, in the order of `columns`. */
  row(object: T, context: { readonly now: number }): TableCell[];
  /** Whether a Table of no objects has `null` for its rows, as Go prints a nil slice. */
  readonly nullWhenEmpty?: boolean;
  /** For the few kinds whose rows carry conditions (a finished Pod does). */
  rowConditions?(object: T): readonly { type: string; status: string; reason?: string; message?: string }[];
}

/**
 * The behaviour of a built-in kind beyond storing JSON: the counterpart of upstream's rest strategies, defaulting
 * functions and validation packages. Every function is optional.
 *
 * Flow of a create: decode with `default` → mutating admission → `allocate` → `prepareForCreate` → `validateCreate` →
 * validating admission → `default` → store. Flow of an update: decode with `default` → mutating admission → `allocate`
 * → `prepareForUpdate` → `validateUpdate` → validating admission → `default` → store. The second `default` covers the
 * fields that preparation added: upstream sets them when it reads the stored object.
 *
 * The object given to `default` and `prepareFor…` is the caller's own copy and is changed in place. Objects given to
 * other functions are read only. The metadata rules that all kinds share are not the strategy's business.
 */
export interface KindStrategy<T extends KubeObject = KubeObject> {
  /** Fills in what the author left out. Must be idempotent: it runs again on what admission changed. */
  default?(object: Mutable<T>): void;

  /**
   * Takes what the server hands out (addresses and ports of Services) before the object is prepared. What it returns
   * refuses the write as validation does, before anything else is validated. `old` is absent on create.
   */
  allocate?(object: Mutable<T>, old: T | undefined, context: StrategyContext): readonly FieldError[];

  /** Resets what a client may not set on create (most of all `status`) and derives what it need not set. */
  prepareForCreate?(object: Mutable<T>, context: StrategyContext): void;
  /** Resets what a client may not change (most of all `status`). */
  prepareForUpdate?(object: Mutable<T>, old: T, context: StrategyContext): void;

  validateCreate?(object: T, context: StrategyContext): readonly FieldError[];
  /** Validates the change; the caller does not also run `validateCreate`. */
  validateUpdate?(object: T, old: T, context: StrategyContext): readonly FieldError[];

  /**
   * Validates the name of a new object; the default is that of a DNS subdomain. Each text is the detail of an `Invalid
   * value`. `prefix` is true for a generateName, to which a random suffix will be added.
   */
  validateName?(name: string, prefix: boolean): string[];

  /** How upstream's validation of the kind repeats the common metadata rules: it decides how often a cause is listed. */
  readonly metadataRules?: MetadataRules;

  /** The rules of a write through `/status` (or another subresource that writes the object, by its name). */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>;

  /** The group in errors, where it is not that of the resource. */
  readonly errorGroup?: string;

  /** Advice sent with every answer, for kinds that people should no longer use. */
  readonly deprecationWarning?: string;

  /** Advice sent as `Warning` headers on create and update. */
  warnings?(object: T, old: T | undefined): readonly string[];

  /**
   * The fields of a field selector besides `metadata.name` and `metadata.namespace`, with their values in this object.
   * An empty value is the empty string.
   */
  fields?(object: T): Readonly<Record<string, string>>;
  /** Names of the keys of {@link fields}, so that a selector can be checked without an object. */
  readonly selectableFields?: readonly string[];
  /** The error for a selector with another field, where that is not the usual `field label not supported: …`. */
  unsupportedField?(field: string): string;

  readonly table?: TablePrinter<T>;

  /** The metadata without what upstream keeps elsewhere inside: Tables and metadata-only answers show it so. */
  innerMetadata?(object: T): T['metadata'];

  /**
   * Whether `metadata.generation` is kept, and what counts as a change of it: typically the spec alone.
   * Absent: the kind has no generation.
   */
  generationChanged?(object: T, old: T): boolean;

  /** PUT to an absent name creates it (Lease, Event, ServiceAccount and a few more do). */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion is a conflict-free overwrite. Default true; a few kinds demand the version. */
  readonly allowUnconditionalUpdate?: boolean;

  /** The grace period of a deletion that asks for none; only Pods have one. */
  defaultGracePeriodSeconds?(object: T): number;
  /** Finalizers that a delete adds by default when the request names no policy (`orphan` for ReplicationControllers, legacy). */
  readonly defaultPropagation?: 'Background' | 'Orphan' | 'Foreground';
  /** DELETE answers with the deleted object instead of a Status (Pods, Namespaces, Services, … do). */
  readonly returnDeletedObject?: boolean;
}

/**
 * Most kinds check their metadata on create, check the change of it on update, and allow short finalizers only if
 * Kubernetes itself knows them. A few differ.
 */
export interface MetadataRules {
  /**
   * Whether the kind has further metadata rules on create; without them only those of every object apply. Default true.
   */
  readonly onCreate?: boolean;
  /**
   * Which rules the kind itself runs on update, besides those of every object. Default `update`. With
   * `create-then-update`, those of an update come after the rules of the kind.
   */
  readonly onUpdate?: 'update' | 'create' | 'both' | 'create-then-update' | 'none';
  /** Which finalizers without a domain are fine. Default `kubernetes`. */
  readonly finalizers?: 'kubernetes' | 'any';
}

/** The part of a strategy that a write through one subresource uses instead of the object's own. */
export interface SubresourceStrategy<T extends KubeObject = KubeObject> {
  /** Labels, annotations, finalizers and owners cannot be changed through `/status` either, as they can for most kinds. */
  readonly keepsMetadata?: boolean;
  /** Resets everything but what this subresource owns. Default for `status`: everything but metadata and `status` is kept as it was. */
  prepareForUpdate?(object: Mutable<T>, old: T, context: StrategyContext): void;
  validateUpdate?(object: T, old: T, context: StrategyContext): readonly FieldError[];
}
