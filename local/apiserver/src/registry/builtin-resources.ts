import { builtinKinds } from '@tektite/schema/kubernetes';
import { builtinResource } from './builtin-resource.ts';
import { strategyOf } from './kinds/index.ts';
import type { Resource } from './resource.ts';

/** Every built-in resource that is stored. */
export function builtinResources(): Resource[] {
  return builtinKinds.map((kind) => builtinResource(kind, strategyOf(kind.group, kind.version, kind.kind) ?? {}));
}
