import type { PodTemplate } from '../kinds/pod-template.ts';

type Named = { readonly name: string };

/** A Pod template with what only the default has: field by field; variables and volumes by their names. */
export function mergePodTemplate(own: PodTemplate | undefined, base: PodTemplate | undefined): PodTemplate | undefined {
  if (!own || !base) return own ?? base;
  const env = mergeByName(own.env, base.env);
  const volumes = mergeByName(own.volumes, base.volumes);
  const { env: _, volumes: __, ...rest } = { ...base, ...own };
  return { ...rest, ...(env?.length ? { env } : {}), ...(volumes?.length ? { volumes } : {}) };
}

/** The entries of the run, then other named ones. Entries without a name are dropped, if there is anything to merge. */
function mergeByName<T extends Named>(
  own: readonly T[] | undefined,
  base: readonly T[] | undefined,
): readonly T[] | undefined {
  if (!own?.length) return base;
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...(base ?? []).filter(({ name }) => !names.has(name))].filter(({ name }) => name !== '');
}
