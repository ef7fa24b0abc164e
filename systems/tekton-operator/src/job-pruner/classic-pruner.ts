import { type Client, kinds } from '@tektite/client';
import { Manifest } from '@tektite/manifest';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import type { CronJob, Namespace } from '@tektite/schema/kubernetes';
import type { OperatorServices } from '../extension/operator-services.ts';
import { type InstallerSets, ignoreMissing, type SetsState } from '../installer-set/installer-sets.ts';
import { specHash } from '../installer-set/spec-hash.ts';
import type { TektonConfig, TektonConfigSpec } from '../kinds/tekton-config.ts';
import { groupBySchedule, pruneConfigOf } from './prune-config.ts';
import { decideCronJobs, pruneCronJob, prunerLabel } from './prune-cron-jobs.ts';

const account = 'tekton-resource-pruner';
export const prunerSetType = 'tektoncd-pruner';

/** Who the pruning Jobs run as, and what they may do. A payload may bring its own. */
function prunerObjects(): readonly DynamicObject[] {
  const metadata = { name: account };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: [
        {
          apiGroups: ['tekton.dev'],
          resources: ['taskruns', 'pipelineruns'],
          verbs: ['list', 'get', 'delete', 'deletecollection'],
        },
        { apiGroups: ['tekton.dev'], resources: ['tasks', 'pipelines'], verbs: ['list'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'tekton-pipelines' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: account },
    },
  ];
}

/** The installer set with the account of the Jobs; taken away when nothing is pruned. */
export async function ensurePrunerSet(
  sets: InstallerSets,
  spec: TektonConfigSpec,
  services: OperatorServices,
): Promise<SetsState> {
  if (spec.pruner?.disabled) {
    await sets.remove('TektonConfig', prunerSetType);
    return { state: 'ready' };
  }
  const namespace = spec.targetNamespace ?? '';
  const given = (await services.payload.extra('tekton-pruner')) ?? Manifest.of(prunerObjects(), 'pruner');
  const objects = given.transform(function intoNamespace(draft) {
    draft.metadata.labels = { ...draft.metadata.labels, 'operator.tekton.dev/operand-name': 'tektoncd-pruner' };
    if (draft.kind === 'ServiceAccount') draft.metadata.namespace = namespace;
    const { subjects } = draft as { subjects?: { namespace?: string }[] };
    for (const subject of subjects ?? []) subject.namespace = namespace;
  }).objects;
  return sets.ensure({
    createdBy: 'TektonConfig',
    type: prunerSetType,
    targetNamespace: namespace,
    version: services.version,
    hash: `${namespace}-${specHash(objects, undefined)}`,
    parts: [{ generateName: `${prunerSetType}-`, objects }],
  });
}

/** Has a CronJob for each schedule that a namespace wants, and no others. */
export async function reconcilePruner(
  client: Client,
  config: TektonConfig,
  spec: TektonConfigSpec,
  namespaces: readonly Namespace[],
  { environment, platform, tkn }: OperatorServices,
): Promise<void> {
  const settings = spec.pruner ?? { disabled: true };
  const namespace = spec.targetNamespace ?? '';
  const given = environment.IMAGE_JOB_PRUNER_TKN;
  const image = given || tkn?.image;
  const configs = settings.disabled ? [] : namespaces.flatMap((item) => pruneConfigOf(item, settings) ?? []);
  if (!image && !settings.disabled) throw new Error("tkn image 'IMAGE_JOB_PRUNER_TKN' environment variable is not set");
  const options = {
    owner: config,
    namespace,
    image: image ?? '',
    ...(!given && tkn ? { program: tkn } : {}),
    settings,
    scheduling: spec.config ?? {},
    platform,
  };
  const wanted = [...groupBySchedule(configs)].map(([schedule, group]) => pruneCronJob(schedule, group, options));
  const live = await prunerJobs(client, namespace, settings.disabled);
  const { create, remove } = decideCronJobs(live, wanted);
  for (const { metadata } of remove)
    await ignoreMissing(client.delete(kinds.CronJob, { namespace, name: metadata.name ?? '' }));
  for (const job of create) await client.create(kinds.CronJob, job as never);
}

/** The CronJobs there are. A server that is too old for them has none that would have to go. */
async function prunerJobs(client: Client, namespace: string, isDisabled: boolean): Promise<readonly CronJob[]> {
  try {
    return (await client.list(kinds.CronJob, { namespace, labelSelector: `${prunerLabel}=true` })).items;
  } catch (error) {
    if (isDisabled && isStatusError(error, 'NotFound')) return [];
    throw error;
  }
}
