import type { NewObject } from '@tektite/client';
import { controllerReference, type KubeObject } from '@tektite/meta';
import type { Pod, PodTemplateSpec } from '@tektite/schema/kubernetes';

const maxPrefixLength = 253;

/** The Pod that a template stands for, owned and controlled by `owner`; its name is for the server to choose. */
export function podFromTemplate(owner: KubeObject, template: PodTemplateSpec): NewObject<Pod> {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { namespace, name = '' } = owner.metadata;
  return {
    metadata: {
      generateName: `${name}-`.slice(0, maxPrefixLength),
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    ...(template.spec ? { spec: template.spec } : {}),
  };
}
