import { definitionKeys, definitionOf, type Descriptions, openApiName } from '@tektite/schema/kubernetes';
import { definitionComponent, described } from './definition-component.ts';
import { kindsOfDefinition } from './kinds-of-definition.ts';
import type { OpenApiSchema } from './open-api-schema.ts';
import { scalarComponents } from './scalar-components.ts';

let keysByName: Map<string, string> | undefined;

function keyOf(name: string): string | undefined {
  keysByName ??= new Map(definitionKeys().map((key) => [openApiName(key), key]));
  return keysByName.get(name);
}

/** Whether the name is that of a built-in type. Groups of CRDs may end in `k8s.io`, so that prefixes do not show it. */
export function isBuiltinComponent(name: string): boolean {
  return scalarComponents.has(name) || keyOf(name) !== undefined;
}

/** The component of a built-in type; `undefined` for the names of others. */
export function builtinComponent(
  name: string,
  descriptions: ReadonlyMap<string, Descriptions>,
): OpenApiSchema | undefined {
  const scalar = scalarComponents.get(name);
  if (scalar) return { ...described(descriptions.get('scalars')?.[name]), ...scalar };
  const key = keyOf(name);
  if (key === undefined) return undefined;
  return definitionComponent(definitionOf(key), descriptions.get(key) ?? {}, kindsOfDefinition(key));
}
