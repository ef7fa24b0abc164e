import type { Transform } from '@tektite/manifest';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { isMapping, listAt, mappingAt } from './draft-fields.ts';
import { type DraftContainer, templateIn } from './workload.ts';

/** Images of one component: which replace which, and from where the others come. */
export interface ImageChoice {
  /** By the names of containers, steps and arguments: lower case, `_` for `-`. */
  readonly byName: ReadonlyMap<string, string>;
  /** The registry for everything that is not named. */
  readonly registry?: string;
}

/**
 * The images from `IMAGE_…` variables with this prefix, and `TEKTON_REGISTRY_OVERRIDE`.
 *
 * @example imagesFrom(process.env, 'IMAGE_PIPELINES_'); // IMAGE_PIPELINES_TEKTON_PIPELINES_CONTROLLER=…
 */
export function imagesFrom(environment: OperatorEnvironment, prefix: string, overrideNamed = true): ImageChoice {
  const registry = environment.TEKTON_REGISTRY_OVERRIDE || undefined;
  const byName = new Map<string, string>();
  for (const [name, image] of Object.entries(environment))
    if (name.startsWith(prefix) && image !== undefined)
      byName.set(name.slice(prefix.length).toLowerCase(), overrideNamed ? inRegistry(image, registry) : image);
  return { byName, ...(registry ? { registry } : {}) };
}

/** The image from another registry: its first part makes way, whether that is a host or not. */
export function inRegistry(image: string, registry: string | undefined): string {
  if (!registry || image === '' || image.includes('$(')) return image;
  const slash = image.indexOf('/');
  return `${registry}/${slash < 0 ? image : image.slice(slash + 1)}`;
}

/** Images of Deployments, also in their first containers; of StatefulSets and Jobs; and those that arguments name. */
export function workloadImages(
  images: ImageChoice,
  ...kinds: readonly ('Deployment' | 'StatefulSet' | 'Job')[]
): Transform {
  return function workloadImages(draft) {
    const template = templateIn(draft, ...kinds);
    if (!template) return;
    const first = draft.kind === 'Deployment' ? (template.spec.initContainers ?? []) : [];
    for (const container of [...template.spec.containers, ...first]) replaceImage(container as DraftContainer, images);
  };
}

function replaceImage(container: DraftContainer, { byName, registry }: ImageChoice): void {
  const image = byName.get(keyOf(container.name)) ?? inRegistry(container.image ?? '', registry);
  if (image !== '') container.image = image;
  const args = container.args ? [...container.args] : [];
  args.forEach((argument, index) => {
    const parts = argument.split('=');
    const named = byName.get(`arg_${keyOf(parts[0] ?? '')}`);
    if (named === undefined) return;
    if (parts.length === 2) args[index] = `${parts[0]}=${named}`;
    else if (parts.length === 1 && index + 1 < args.length) args[index + 1] = named;
  });
  if (container.args) container.args = args;
}

const keyOf = (name: string) => name.toLowerCase().replaceAll('-', '_');

/** Images of Tasks' steps, and of parameters that name one; of StepActions by their own name. */
export function taskImages({ byName, registry }: ImageChoice): Transform {
  return function taskImages(draft) {
    if (draft.kind === 'StepAction') {
      const spec = mappingAt(draft, 'spec');
      if (typeof spec?.image === 'string')
        spec.image = byName.get(keyOf(draft.metadata.name ?? '')) || inRegistry(spec.image, registry);
    }
    if (draft.kind !== 'Task' && draft.kind !== 'ClusterTask') return;
    for (const step of listAt(draft, 'spec', 'steps')) {
      if (!isMapping(step) || typeof step.name !== 'string') continue;
      const image = byName.get(keyOf(step.name));
      if (image) step.image = image;
      else if (typeof step.image === 'string') step.image = inRegistry(step.image, registry);
    }
    for (const param of listAt(draft, 'spec', 'params')) {
      if (!isMapping(param) || typeof param.name !== 'string') continue;
      const image = byName.get(`param_${keyOf(param.name)}`);
      if (image) param.default = image;
    }
  };
}

/** The part of the choice that changes manifests: sets are rewritten when it changes. */
export function imagesText({ byName }: ImageChoice): string {
  return [...byName]
    .map(([name, image]) => `${name}=${image}`)
    .sort()
    .join('\n');
}
