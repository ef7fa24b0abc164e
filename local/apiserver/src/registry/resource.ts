import type { JsonDocument } from '@tektite/go';
import type { DynamicObject, ErrorTarget, KubeObject, Mutable } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import type { KindStrategy } from './kind-strategy.ts';

/** An object under construction: the request's own copy, free to be changed. */
export type Draft = Mutable<DynamicObject>;

/** How strictly the fields of a request's body are read. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A decoded body: the object, and the errors of strict decoding (unknown and duplicate fields). */
export interface Decoded {
  readonly object: Draft;
  readonly strictErrors: readonly string[];
}

export interface DecodeOptions {
  /** Nulls from admission and applied configurations stay until the validation: they count as given. */
  readonly keepNulls?: boolean;
}

/** A part of an object, or an action on it, with a separate path: `/status`, `/scale`, `/token`. */
export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Names and shape of a resource as discovery shows it, in one version. */
export interface ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}

/**
 * One resource in one version, as the REST verbs see it. Built-in kinds and custom resources are both this; what differs
 * between them is in `codec`, `strategy` and the flags.
 *
 * Several versions of one resource share `storagePrefix`; `fromStorage` and `toStorage` convert, and are absent where
 * this version is the stored one.
 */
export interface Resource extends ResourceNames {
  readonly storagePrefix: string;
  /** The `apiVersion` of stored objects. */
  readonly storageVersion: string;
  readonly schema: JsonSchema;
  readonly custom: boolean;
  readonly strategy: KindStrategy;
  /** Fields that `metadata.managedFields` never tracks for a write to this path (`status` for the main one, and so on). */
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  /** Sent as a warning with every answer of a deprecated version. */
  readonly deprecationWarning?: string;
  /** The CRD is being deleted: nothing new may be created. */
  readonly terminating?: boolean;

  /** Calls back when the definition of a custom resource was deleted: watches of its objects end then. */
  onRetired?(end: () => void): Disposable;
  /** Reads the bytes of a body (or takes an object from this process). Throws a StatusError for what is no object. */
  readBody(body: Uint8Array | object, contentType: string): JsonDocument;
  /**
   * Makes an object of this kind from what was read: checks types, drops unknown fields, fills in defaults. Throws a
   * DecodeError.
   */
  decode(document: JsonDocument, options?: DecodeOptions): Decoded;
  /**
   * An object as it is encoded: empty optional fields gone, as Go's `omitempty` has it. What it shares with an old object,
   * which is as it should be already, stays shared.
   */
  normalize(object: Draft, old?: KubeObject): Draft;
  /** An object of this kind without any field set; field managers compare a create with it. */
  readonly emptyObject: KubeObject;

  /**
   * An object of this version in another one, with the schema of that one and nothing dropped; `undefined` when there is no
   * such version. Field managers compare in the version in which an owner wrote.
   */
  inVersion?(
    object: KubeObject,
    apiVersion: string,
  ): Promise<{ readonly object: KubeObject; readonly schema: JsonSchema } | undefined>;
  toStorage?(object: Draft): Draft | Promise<Draft>;
  fromStorage?(objects: readonly KubeObject[]): readonly KubeObject[] | Promise<readonly KubeObject[]>;
}

/** Where a custom resource keeps what its `/scale` shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export function errorTarget(resource: ResourceNames): ErrorTarget {
  return { group: resource.group, resource: resource.plural };
}

export function apiVersionOf(resource: ResourceNames): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The storage key of an object, or of all objects of a namespace when the name is empty. */
export function storageKey(resource: Resource, namespace: string, name: string): string {
  return resource.namespaced ? `${resource.storagePrefix}${namespace}/${name}` : `${resource.storagePrefix}${name}`;
}
