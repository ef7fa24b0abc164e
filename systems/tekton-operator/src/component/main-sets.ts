import type { Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { SetPart } from '../installer-set/wanted-sets.ts';

const isWorkload = ({ kind }: DynamicObject) => ['Deployment', 'StatefulSet', 'Service'].includes(kind);

/**
 * The two main sets of a component: what stands still, and what runs, with its Services. The same split when they are made and when
 * they are changed, so that no object moves from one to the other.
 */
export function mainParts(prefix: string, manifest: Manifest, ordinals = false): readonly SetPart[] {
  const [running, standing] = [
    manifest.objects.filter(isWorkload),
    manifest.objects.filter((item) => !isWorkload(item)),
  ];
  return [
    { generateName: `${prefix}-main-static-`, objects: standing },
    { generateName: `${prefix}-main-${ordinals ? 'statefulset' : 'deployment'}-`, objects: running },
  ];
}
