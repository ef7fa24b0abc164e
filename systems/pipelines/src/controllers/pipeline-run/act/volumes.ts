import { jsonPatch, kinds, ignoreNotFound } from '@tektite/client';
import { isStatusError, isTransient } from '@tektite/meta';
import type { CachedPipelineRun } from '../../../cache/cache-transforms.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { WorkspaceBinding } from '../../../kinds/workspace.ts';
import {
  affinityAssistant,
  assistantName,
  type AssistantOptions,
  isPerRun,
  runClaimName,
} from '../decide/affinity-assistant.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import { claimName, claimsOf } from '../../../workspace/claim-templates.ts';
import type { PipelineRunServices } from '../observe/pipeline-run-services.ts';

const hasClaim = ({ persistentVolumeClaim, volumeClaimTemplate }: WorkspaceBinding) =>
  persistentVolumeClaim !== undefined || volumeClaimTemplate !== undefined;

/** Creates the volume claims of a run and the affinity assistants, which keep its volumes on one node. Called before the first child. */
export async function createVolumes(run: PipelineRun, services: PipelineRunServices): Promise<void> {
  const workspaces = (run.spec.workspaces ?? []).filter(hasClaim);
  const { flags } = services;
  if (isPerRun(flags)) {
    await createAssistant('', run, services, {
      claims: workspaces.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
      templates: workspaces.filter(({ persistentVolumeClaim }) => !persistentVolumeClaim),
    });
    return;
  }
  for (const workspace of workspaces) {
    await createClaim(workspace, run, services);
    const claim = workspace.persistentVolumeClaim?.claimName ?? claimName(workspace, run);
    if (flags.coschedule === 'workspaces')
      await createAssistant(workspace.name, run, services, { claims: [claim], templates: [] });
  }
}

async function createClaim(
  workspace: WorkspaceBinding,
  run: PipelineRun,
  { context: { client, signal } }: PipelineRunServices,
): Promise<void> {
  for (const claim of claimsOf([workspace], run)) {
    try {
      await client.create(kinds.PersistentVolumeClaim, claim, { signal });
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) continue;
      throw claimFailure(error, claim.metadata?.name ?? '', run);
    }
  }
}

function claimFailure(error: unknown, claim: string, { metadata }: PipelineRun): unknown {
  if (!isStatusError(error) || isTransient(error)) return error;
  const { message } = error;
  const isRetryable =
    isStatusError(error, 'Conflict') || (isStatusError(error, 'Forbidden') && message.includes('exceeded quota'));
  if (isRetryable)
    return new RunWaits(
      'PipelineRunPending',
      `Waiting for PVC creation to succeed: PVC creation error, retryable for ${claim}: ${message}`,
    );
  const words = `PVC creation error for ${claim}: ${message}`;
  return new RunFailure(
    'CouldntCreateWorkspacePVC',
    `Failed to create PVC for PipelineRun ${metadata.namespace ?? ''}/${metadata.name ?? ''} correctly: ${words}`,
    { cause: new Error(words) },
  );
}

async function createAssistant(
  workspace: string,
  run: PipelineRun,
  services: PipelineRunServices,
  volumes: Pick<AssistantOptions, 'claims' | 'templates'>,
): Promise<void> {
  const { context, flags, nopImage: image, defaults } = services;
  const name = assistantName(workspace, run.metadata.name ?? '');
  const podTemplate = defaults.affinityAssistantPodTemplate;
  const assistant = affinityAssistant(name, run, { ...volumes, flags, image, podTemplate });
  try {
    await context.client.create(kinds.StatefulSet, assistant, { signal: context.signal });
  } catch (error) {
    if (isStatusError(error, 'AlreadyExists')) return moveFromCordonedNode(name, run, services);
    if (!isStatusError(error) || isTransient(error)) throw error;
    const { namespace = '', name: runName = '' } = run.metadata;
    const words = `Affinity Assistant creation error: [failed to create StatefulSet ${name}: ${error.message}]`;
    throw new RunFailure(
      'ReasonCouldntCreateOrUpdateAffinityAssistantStatefulSet',
      `Failed to create StatefulSet for PipelineRun ${namespace}/${runName} correctly: ${words}`,
      { cause: new Error(words) },
    );
  }
}

/** An assistant on a cordoned node would keep all Pods of the run pending: its Pod is deleted, to be scheduled elsewhere. */
async function moveFromCordonedNode(
  name: string,
  { metadata }: PipelineRun,
  { context: { client, signal } }: PipelineRunServices,
): Promise<void> {
  const namespace = metadata.namespace ?? '';
  const assistant = await client.get(kinds.StatefulSet, { namespace, name }, { signal });
  if (assistant.status?.readyReplicas !== 1) return;
  const { items } = await client.list(kinds.Node, { fieldSelector: 'spec.unschedulable=true', signal });
  if (items.length === 0) return;
  const key = { namespace, name: `${name}-0` };
  const pod = await client.getOrUndefined(kinds.Pod, key, { signal });
  if (!pod || !items.some((node) => node.metadata.name === pod.spec?.nodeName)) return;
  await client.delete(kinds.Pod, key, { signal }).catch(ignoreNotFound);
}

/** Deletes the assistants of a completed run, and the claims that are deleted with it. */
export async function cleanUpVolumes(run: CachedPipelineRun, services: PipelineRunServices): Promise<void> {
  const { flags, context } = services;
  const workspaces = (run.spec.workspaces ?? []).filter(hasClaim);
  if (flags.coschedule === 'disabled') return;
  const { name: runName = '', namespace = '', annotations } = run.metadata;
  const names = isPerRun(flags) ? [''] : workspaces.map(({ name }) => name);
  for (const name of names) {
    const key = { namespace, name: assistantName(name, runName) };
    await context.client.delete(kinds.StatefulSet, key, { signal: context.signal }).catch(ignoreNotFound);
  }
  if (!isPerRun(flags) && annotations?.['tekton.dev/auto-cleanup-pvc'] !== 'true') return;
  for (const workspace of workspaces)
    if (workspace.volumeClaimTemplate) await deleteClaim(runClaimName(workspace, run, flags), namespace, services);
}

const protection = 'kubernetes.io/pvc-protection';

/** Completed Pods keep a claim from being deleted, so its protection finalizer is removed. */
async function deleteClaim(
  name: string,
  namespace: string,
  { context: { client, signal } }: PipelineRunServices,
): Promise<void> {
  const key = { namespace, name };
  const claim = await client.getOrUndefined(kinds.PersistentVolumeClaim, key, { signal });
  if (!claim) return;
  await client.delete(kinds.PersistentVolumeClaim, key, { signal }).catch(ignoreNotFound);
  const { finalizers = [] } = claim.metadata;
  if (!finalizers.includes(protection)) return;
  const value = finalizers.filter((each) => each !== protection);
  const patch = jsonPatch([{ op: 'replace', path: '/metadata/finalizers', value }]);
  await client.patch(kinds.PersistentVolumeClaim, key, patch, { signal }).catch(ignoreNotFound);
}
