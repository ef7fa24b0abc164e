import { cloneJson, type KubeObject } from '@tektite/meta';
import type { StoredEntry } from '../storage/storage.ts';
import type { Draft, Resource } from '../registry/resource.ts';

/** A stored object in the version of the resource. */
export async function fromStorage(resource: Resource, entry: Pick<StoredEntry, 'value'>): Promise<KubeObject> {
  if (!resource.fromStorage) return entry.value;
  const [object] = await resource.fromStorage([entry.value]);
  return object as KubeObject;
}

/** An object in the version that is stored, as a copy where that is another one. */
export async function toStorage(resource: Resource, object: Draft): Promise<KubeObject> {
  return resource.toStorage ? resource.toStorage(cloneJson(object) as Draft) : object;
}

/** The answer if the object were stored: conversion to the stored version may lose something. */
export async function asStored(resource: Resource, draft: Draft): Promise<KubeObject> {
  if (!resource.fromStorage) return draft;
  return fromStorage(resource, { value: await toStorage(resource, draft) });
}
