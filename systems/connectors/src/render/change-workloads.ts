import { Manifest, type ManifestItem } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { Workload } from '../kinds/connector.ts';
import { directiveIn } from './directive-in.ts';
import { mergeObject } from './merge-object.ts';
import { RenderFailure } from '../render-failure.ts';

const workloadKinds = ['Deployment', 'StatefulSet'];

export function isWorkload({ apiVersion, kind }: DynamicObject): boolean {
  return apiVersion.startsWith('apps/') && workloadKinds.includes(kind);
}

/** The changes to Deployments and StatefulSets, one after the other. Every change has to meet something. */
export function withWorkloads(manifest: Manifest, workloads: readonly Workload[]): Manifest {
  if (workloads.length === 0) return manifest;
  const items: ManifestItem[] = [...manifest.items];
  workloads.forEach((workload, index) => {
    let met = false;
    items.forEach((item, at) => {
      if (!isMeant(item.object, workload)) return;
      met = true;
      items[at] = { ...item, object: changed(item.object, workload) };
    });
    if (!met) throw notFound(workload, index, items);
  });
  return new Manifest(items);
}

function isMeant(object: DynamicObject, { name, kind }: Workload): boolean {
  return isWorkload(object) && object.metadata.name === name && (!kind || object.kind === kind);
}

function notFound({ name, kind }: Workload, index: number, items: readonly ManifestItem[]): RenderFailure {
  const names = items.flatMap(({ object }) =>
    isWorkload(object) && (!kind || object.kind === kind) ? [object.metadata.name ?? ''] : [],
  );
  const have = [...new Set(names)].join(', ') || 'none';
  return new RenderFailure(
    'WorkloadNotFound',
    `workloads[${index}] "${name}": no ${kind || 'Deployment or StatefulSet'} with this name (have: ${have})`,
  );
}

function changed(object: DynamicObject, { replicas, selector, template }: Workload): DynamicObject {
  const shown = `${object.kind} ${object.metadata.name}`;
  const directive = directiveIn(template);
  if (directive) throw new RenderFailure('InvalidWorkload', `${shown}: ${directive} is not possible in a template`);
  let result = object;
  if (template) {
    try {
      result = mergeObject(result, { spec: { template } });
    } catch (error) {
      throw new RenderFailure('InvalidWorkload', `${shown}: ${(error as Error).message}`, { cause: error });
    }
  }
  const spec = {
    ...(result.spec as object),
    ...(replicas === undefined ? {} : { replicas }),
    ...(selector === undefined ? {} : { selector }),
  };
  result = { ...result, spec };
  const missing = missingLabel(spec);
  if (missing) throw new RenderFailure('InvalidWorkload', `${shown}: selector ${missing} not in template labels`);
  return result;
}

interface SelectingSpec {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, unknown>> };
  readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, unknown>> } };
}

/** `app=web` that is selected and that no Pod would have. */
function missingLabel(spec: object): string | undefined {
  const { selector, template } = spec as SelectingSpec;
  const labels = template?.metadata?.labels ?? {};
  const missing = Object.entries(selector?.matchLabels ?? {}).find(
    ([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value,
  );
  return missing && `${missing[0]}=${String(missing[1])}`;
}
