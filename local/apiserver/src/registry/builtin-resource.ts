import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import type { BuiltinKind } from '@tektite/schema/kubernetes';
import { readBody } from '../codec/read-body.ts';
import { decodeObject, normalizeObject } from '../codec/decode-object.ts';
import type { KindStrategy } from './kind-strategy.ts';
import type { Draft, Resource } from './resource.ts';

/** Conversion between a served version and the one that is stored, for the few kinds that have two. */
export interface BuiltinConversion {
  readonly storagePrefix: string;
  readonly storageVersion: string;
  readonly toStorage?: (object: Draft) => Draft;
  readonly fromStorage?: (object: KubeObject) => KubeObject;
}

/** A built-in kind as a resource: read and printed as Go would, with the rules of its strategy. */
export function builtinResource(kind: BuiltinKind, strategy: KindStrategy, conversion?: BuiltinConversion): Resource {
  const { group, version } = kind;
  const apiVersion = formatApiVersion(kind);
  // Whatever a body called itself, it was read as this kind. Not by spreading: this is done twice for each write, and what
  // follows a spread in a literal is slow in V8.
  const withKind = (object: Record<string, unknown>) => {
    const named: Record<string, unknown> = { kind: kind.kind, apiVersion };
    for (const field in object) if (field !== 'kind' && field !== 'apiVersion') named[field] = object[field];
    return named as Draft;
  };
  const normalize = (object: Draft, old?: KubeObject) => withKind(normalizeObject(kind.definition, object, old));
  const { toStorage, fromStorage } = conversion ?? {};
  let empty: KubeObject | undefined;
  return {
    group,
    version,
    kind: kind.kind,
    listKind: kind.listKind ?? `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: kind.categories,
    namespaced: kind.namespaced,
    verbs: kind.verbs,
    subresources: kind.subresources,
    storagePrefix: conversion?.storagePrefix ?? `/registry/${kind.plural}/`,
    storageVersion: conversion?.storageVersion ?? apiVersion,
    get schema() {
      return kind.schema as JsonSchema;
    },
    custom: false,
    strategy,
    ...(strategy.deprecationWarning === undefined ? {} : { deprecationWarning: strategy.deprecationWarning }),
    hasStatus: kind.subresources.some(({ name }) => name === 'status'),
    readBody: (body, contentType) => readBody(body, contentType, { group, version, kind: kind.kind, custom: false }),
    decode(document) {
      const { object, strictErrors } = decodeObject(kind.definition, document);
      const draft = withKind(object);
      strategy.default?.(draft);
      return { object: draft, strictErrors };
    },
    normalize,
    get emptyObject() {
      return (empty ??= normalize({ kind: kind.kind, apiVersion, metadata: {} }));
    },
    ...(toStorage ? { toStorage } : {}),
    ...(fromStorage
      ? { fromStorage: (objects) => objects.map((object) => normalize(fromStorage(object) as Draft)) }
      : {}),
  };
}
