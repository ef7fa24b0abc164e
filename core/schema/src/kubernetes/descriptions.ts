/** Descriptions of a definition's fields by name; that of the definition itself has the empty name. */
export type Descriptions = Readonly<Record<string, string>>;

let loaded: Promise<ReadonlyMap<string, Descriptions>> | undefined;

/**
 * The texts that `kubectl explain` shows, by definition key. Half a megabyte that only OpenAPI documents need, so it is
 * loaded when the first of them is asked for.
 */
export function loadDescriptions(): Promise<ReadonlyMap<string, Descriptions>> {
  loaded ??= import('./generated/descriptions.ts').then(
    ({ descriptionsJson }) => new Map(Object.entries(JSON.parse(descriptionsJson) as Record<string, Descriptions>)),
  );
  return loaded;
}
