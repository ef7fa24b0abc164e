import type { Mutable } from '@tektite/meta';
import type {
  Container,
  DeploymentSpec,
  PersistentVolumeClaim,
  PodSpec,
  PodTemplateSpec,
  StatefulSetSpec,
} from '@tektite/schema/kubernetes';
import { mergeArguments } from './merge-arguments.ts';
import { type DraftContainer, type DraftTemplate, replaceByName, templateOf } from './workload.ts';

/** The options for a Deployment or a StatefulSet. */
export interface WorkloadOptions {
  readonly metadata?: PodTemplateSpec['metadata'];
  readonly spec?: Partial<DeploymentSpec & StatefulSetSpec>;
}

type DraftSpec = { template: Mutable<PodTemplateSpec> } & Partial<Mutable<DeploymentSpec & StatefulSetSpec>>;

/**
 * Overlays the user's options over a workload. Fields that are not named here (images, commands, probes) stay the
 * release's.
 */
export function overlayWorkload(target: object, { spec = {} }: WorkloadOptions): void {
  const draft = target as DraftSpec;
  if (spec.replicas !== undefined) draft.replicas = spec.replicas;
  if (spec.strategy?.type) draft.strategy = spec.strategy as Mutable<NonNullable<DeploymentSpec['strategy']>>;
  if (spec.updateStrategy?.type)
    draft.updateStrategy = spec.updateStrategy as Mutable<NonNullable<StatefulSetSpec['updateStrategy']>>;
  if (spec.podManagementPolicy) draft.podManagementPolicy = spec.podManagementPolicy;
  if (spec.serviceName) draft.serviceName = spec.serviceName;
  if (spec.volumeClaimTemplates?.length)
    draft.volumeClaimTemplates = claims(draft.volumeClaimTemplates, spec.volumeClaimTemplates);
  overlayTemplate(templateOf(draft), spec.template);
}

function claims(given: readonly PersistentVolumeClaim[] | undefined, wanted: readonly PersistentVolumeClaim[]) {
  const named = (list: readonly PersistentVolumeClaim[]) =>
    list.map((claim) => ({ name: claim.metadata?.name ?? '', claim }));
  return replaceByName(named(given ?? []), named(wanted)).map(({ claim }) => claim) as Mutable<PersistentVolumeClaim>[];
}

const replaced = [
  'affinity',
  'priorityClassName',
  'nodeSelector',
  'tolerations',
  'topologySpreadConstraints',
  'runtimeClassName',
] as const satisfies readonly (keyof PodSpec)[];

function overlayTemplate(template: DraftTemplate, wanted: PodTemplateSpec | undefined): void {
  const { labels, annotations } = wanted?.metadata ?? {};
  if (labels || annotations)
    template.metadata = {
      ...template.metadata,
      labels: { ...template.metadata?.labels, ...labels },
      ...(annotations ? { annotations: { ...template.metadata?.annotations, ...annotations } } : {}),
    };
  const pod = wanted?.spec;
  if (!pod) return;
  for (const key of replaced) if (!isEmpty(pod[key])) Object.assign(template.spec, { [key]: pod[key] });
  if (pod.volumes?.length)
    template.spec.volumes = replaceByName(template.spec.volumes, pod.volumes) as Mutable<typeof pod.volumes>;
  if (pod.initContainers?.length)
    template.spec.initContainers = overlayContainers(template.spec.initContainers, pod.initContainers);
  if (pod.containers?.length) template.spec.containers = overlayContainers(template.spec.containers, pod.containers);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function overlayContainers(given: readonly Container[] | undefined, wanted: readonly Container[]): DraftContainer[] {
  const result = [...(given ?? [])] as DraftContainer[];
  const added: DraftContainer[] = [];
  for (const item of wanted) {
    const found = result.filter(({ name }) => name === item.name);
    for (const container of found) overlayContainer(container, item);
    if (found.length === 0) added.push(item as DraftContainer);
  }
  return [...result, ...added];
}

function overlayContainer(container: DraftContainer, wanted: Container): void {
  if (!isEmpty(wanted.resources)) container.resources = wanted.resources as DraftContainer['resources'] & object;
  if (wanted.env?.length) container.env = replaceByName(container.env, wanted.env) as DraftContainer['env'] & object;
  // By the name of the volume, as upstream does, so that a volume that is mounted twice is not.
  if (wanted.volumeMounts?.length)
    container.volumeMounts = replaceByName(
      container.volumeMounts,
      wanted.volumeMounts,
    ) as DraftContainer['volumeMounts'] & object;
  if (wanted.args?.length) container.args = mergeArguments(container.args ?? [], wanted.args);
}
