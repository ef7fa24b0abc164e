/** A change to an object, in one of the forms the API knows. Made by {@link jsonPatch}, {@link mergePatch} or {@link strategicMergePatch}. */
export interface Patch {
  readonly contentType: string;
  readonly body: object;
}

/** One step of a JSON patch (RFC 6902). Paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** Steps, all or none. A `test` on `/metadata/resourceVersion` makes it conditional. */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: 'application/json-patch+json', body: operations };
}

/** Fields to set; `null` removes one. Lists are replaced whole. */
export function mergePatch(fields: object): Patch {
  return { contentType: 'application/merge-patch+json', body: fields };
}

/** Like a merge patch, but lists of built-in kinds merge by their keys. Custom resources do not take it. */
export function strategicMergePatch(fields: object): Patch {
  return { contentType: 'application/strategic-merge-patch+json', body: fields };
}

/** Server-side apply; JSON is YAML too. */
export function applyPatch(configuration: object): Patch {
  return { contentType: 'application/apply-patch+yaml', body: configuration };
}
