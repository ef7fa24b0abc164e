import { createHash } from 'node:crypto';
import { controllerReference } from '@tektite/meta';
import type { Affinity, PersistentVolumeClaim, PodSpec, StatefulSet } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { AffinityAssistantTemplate, PodTemplate } from '../../../kinds/pod-template.ts';
import type { WorkspaceBinding } from '../../../kinds/workspace.ts';
import { ownSecurityContext } from '../../../pod/init-containers.ts';
import { claimName } from '../../../workspace/claim-templates.ts';

const component = 'affinity-assistant';
const maxVolumeNameLength = 63;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** The name of the affinity assistant of a workspace of a run; without a workspace, of the whole run. */
export function assistantName(workspace: string, run: string): string {
  return `${component}-${hashOf(workspace + run)}`;
}

/** Which affinity assistants there are: for each claim, or one for the run. */
export function isPerRun({ coschedule }: FeatureFlags): boolean {
  return coschedule === 'pipelineruns' || coschedule === 'isolate-pipelinerun';
}

/** The claim that is made of a template: by us, or by the StatefulSet of the run. */
export function runClaimName(
  binding: WorkspaceBinding,
  run: Pick<PipelineRun, 'metadata'>,
  flags: FeatureFlags,
): string {
  const name = claimName(binding, run);
  return isPerRun(flags) ? `${volumeName(name)}-${assistantName('', run.metadata.name ?? '')}-0` : name;
}

/** The assistant that the Pod of a child has to be near. */
export function assistantOf(
  claimWorkspace: string | undefined,
  { metadata }: PipelineRun,
  flags: FeatureFlags,
): string | undefined {
  const { name = '' } = metadata;
  if (isPerRun(flags)) return assistantName('', name);
  return flags.coschedule === 'workspaces' && claimWorkspace ? assistantName(claimWorkspace, name) : undefined;
}

function volumeName(name: string): string {
  return name.length <= maxVolumeNameLength ? name : `${name.slice(0, maxVolumeNameLength - 11)}-${hashOf(name)}`;
}

export interface AssistantOptions {
  readonly flags: FeatureFlags;
  readonly image: string;
  /** The settings for all assistants; the run may override them. */
  readonly podTemplate: AffinityAssistantTemplate | undefined;
  /** Claims that are there. */
  readonly claims: readonly string[];
  /** Workspaces whose claims the StatefulSet makes. */
  readonly templates: readonly WorkspaceBinding[];
}

/** A Pod that does nothing but hold the volumes of a run, so that all Pods that use them come to its node. */
export function affinityAssistant(name: string, run: PipelineRun, options: AssistantOptions): StatefulSet {
  const labels = {
    ...run.metadata.labels,
    'tekton.dev/pipelineRun': run.metadata.name ?? '',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': component,
  };
  const templates = options.templates.map((binding) => claimTemplate(binding, run));
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name,
      namespace: run.metadata.namespace ?? '',
      labels,
      ownerReferences: [controllerReference(run)],
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      serviceName: '',
      ...(templates.length > 0 ? { volumeClaimTemplates: templates } : {}),
      template: { metadata: { labels }, spec: podSpec(run, options, templates) },
    },
  };
}

function claimTemplate(binding: WorkspaceBinding, run: PipelineRun): PersistentVolumeClaim {
  const { metadata, ...rest } = binding.volumeClaimTemplate ?? ({} as PersistentVolumeClaim);
  return { ...rest, metadata: { ...metadata, name: volumeName(claimName(binding, run)) } };
}

function podSpec(
  run: PipelineRun,
  { flags, image, podTemplate, claims }: AssistantOptions,
  templates: readonly PersistentVolumeClaim[],
): PodSpec {
  const { taskRunTemplate = {} } = run.spec;
  // Of a Pod template an assistant only takes these.
  const own = taskRunTemplate.podTemplate;
  const pick = <K extends keyof PodTemplate & keyof AffinityAssistantTemplate>(field: K) =>
    own?.[field] ?? podTemplate?.[field];
  const fields = {
    tolerations: pick('tolerations'),
    nodeSelector: pick('nodeSelector'),
    imagePullSecrets: pick('imagePullSecrets'),
    securityContext: pick('securityContext'),
    priorityClassName: pick('priorityClassName'),
    serviceAccountName: podTemplate?.serviceAccountName || taskRunTemplate.serviceAccountName,
  };
  const securityContext = ownSecurityContext(flags, false) ?? {};
  const resources = { cpu: '50m', memory: '100Mi' };
  const mounts = templates.map(({ metadata }) => ({ name: metadata?.name ?? '', mountPath: metadata?.name ?? '' }));
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    containers: [
      {
        name: component,
        image,
        args: ['tekton_run_indefinitely'],
        resources: { limits: resources, requests: resources },
        ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
        securityContext,
      },
    ],
    affinity: affinityOf(own?.affinity, flags),
    volumes: claims.map((claim, index) => ({
      name: `workspace-${index}`,
      persistentVolumeClaim: { claimName: claim },
    })),
  };
}

/** Assistants keep away from each other; if runs are to be alone on their nodes, they must. */
function affinityOf(own: Affinity | undefined, { coschedule }: FeatureFlags): Affinity {
  const podAffinityTerm = {
    labelSelector: { matchLabels: { 'app.kubernetes.io/component': component } },
    topologyKey: 'kubernetes.io/hostname',
  };
  const { podAntiAffinity = {} } = own ?? {};
  const required = podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const more =
    coschedule === 'isolate-pipelinerun'
      ? { requiredDuringSchedulingIgnoredDuringExecution: [...required, podAffinityTerm] }
      : { preferredDuringSchedulingIgnoredDuringExecution: [...preferred, { weight: 100, podAffinityTerm }] };
  return { ...own, podAntiAffinity: { ...podAntiAffinity, ...more } };
}
