import type { Pod } from '@tektite/schema/kubernetes';

/** The claims that a Pod uses, by name. Ephemeral volumes have claims named after the Pod. */
export function claimNames({ metadata, spec }: Pod): readonly string[] {
  const names: string[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim) names.push(persistentVolumeClaim.claimName);
    else if (ephemeral) names.push(`${metadata.name}-${name}`);
  }
  return names;
}
