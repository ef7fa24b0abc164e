import { isStatusError, isTransient } from '@tektite/meta';
import { Pipeline } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineRef } from '../../../kinds/resolver-reference.ts';
import { contextVariables } from '../decide/context-variables.ts';
import { givenParams } from '../decide/pipeline-params.ts';
import { replaceParams } from '../decide/replace-in-pipeline.ts';
import { fetchPipeline } from '../../../resolution/fetch-remote.ts';
import { type RemoteFailure, isRemotePending, isRemoteFailure } from '../../../resolution/remote-failure.ts';
import { replaceText } from '../../../substitution/replace-text.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import { looksLikeUrl } from '../../../rules/validation/validate-ref.ts';
import type { FoundPipeline } from '../decide/observation.ts';
import type { PipelineRunServices } from './pipeline-run-services.ts';

/**
 * Resolves the Pipeline of a run. An embedded Pipeline is read from the run each time; a referenced one is read once and recorded
 * in the status, so that a run does not change when its Pipeline does.
 */
export async function getPipeline(run: PipelineRun, services: PipelineRunServices): Promise<FoundPipeline> {
  const { name = '', namespace = '' } = run.metadata;
  try {
    return await find(run, services);
  } catch (error) {
    if (isRemotePending(error))
      throw new RunWaits('ResolvingPipelineRef', `PipelineRun ${namespace}/${name} awaiting remote resource`);
    if (!(error instanceof PipelineUnavailable)) throw error;
    const { cause, message } = error;
    if (isRemoteFailure(cause) && cause.stage === 'validation')
      throw new RunFailure(
        'PipelineValidationFailed',
        `[User error] Failed dryRunValidation for PipelineRun ${name}: ${message}`,
        { cause: error },
      );
    throw new RunFailure(
      'CouldntGetPipeline',
      `Error retrieving pipeline for pipelinerun ${namespace}/${name}: ${message}`,
      { cause: error },
    );
  }
}

/** The Pipeline does not exist, or is not a Pipeline. Transient errors are not wrapped. */
export class PipelineUnavailable extends Error {
  override readonly name = 'PipelineUnavailable';
}

async function find(run: PipelineRun, services: PipelineRunServices): Promise<FoundPipeline> {
  const { pipelineRef, pipelineSpec } = run.spec;
  const { name = '', namespace = '' } = run.metadata;
  if (pipelineSpec && !pipelineRef?.name) return { spec: pipelineSpec, metadata: run.metadata };
  if (!pipelineRef?.name && !pipelineRef?.resolver)
    throw new PipelineUnavailable(`pipelineRun ${name} not providing PipelineRef or PipelineSpec`);
  const remembered = run.status?.pipelineSpec;
  if (remembered) {
    const refSource = run.status?.provenance?.refSource;
    return {
      spec: remembered,
      metadata: { name: pipelineRef.name ?? '', namespace },
      ...(refSource ? { refSource } : {}),
    };
  }
  try {
    return await readPipeline(pipelineRef, run, services);
  } catch (error) {
    if (!(error instanceof PipelineUnavailable) || !pipelineRef.name) throw error;
    throw new PipelineUnavailable(`error when getting Pipeline for PipelineRun ${name}: ${error.message}`, {
      cause: error.cause,
    });
  }
}

/** Reads a Pipeline from the cluster, or by a resolver. */
export async function readPipeline(
  ref: PipelineRef,
  run: PipelineRun,
  services: PipelineRunServices,
): Promise<FoundPipeline> {
  const { name = '' } = ref;
  return ref.resolver ? fetch(ref, ref.resolver, run, services) : readLocal(name, run, services);
}

async function readLocal(
  name: string,
  { metadata }: PipelineRun,
  { context: { client, signal } }: PipelineRunServices,
): Promise<FoundPipeline> {
  try {
    const found = await client.get(Pipeline, { namespace: metadata.namespace ?? '', name }, { signal });
    return { spec: found.spec, metadata: found.metadata };
  } catch (error) {
    if (!isStatusError(error) || isTransient(error)) throw error;
    throw new PipelineUnavailable(`tekton client cannot get pipeline ${name} from local cluster: ${error.message}`, {
      cause: error,
    });
  }
}

async function fetch(
  ref: PipelineRef,
  resolver: string,
  run: PipelineRun,
  { remote }: PipelineRunServices,
): Promise<FoundPipeline> {
  const { name = '' } = ref;
  const known = givenParams(run.spec.params ?? []).addAll(contextVariables('', run));
  const url = looksLikeUrl(name) ? replaceText(name, known) : undefined;
  const params = replaceParams(ref.params ?? [], known);
  try {
    const { object, refSource, verification } = await fetchPipeline(
      run,
      { resolver, params, ...(url === undefined ? {} : { url }) },
      remote,
    );
    const { spec, metadata } = object;
    return { spec, metadata, verification, ...(refSource ? { refSource } : {}) };
  } catch (error) {
    if (!isRemoteFailure(error)) throw error;
    throw new PipelineUnavailable(explain(error, url ?? name), { cause: error });
  }
}

/** Upstream names the step that failed. */
function explain({ message }: RemoteFailure, name: string): string {
  return message.startsWith('error requesting remote resource') || message.startsWith('error accessing data')
    ? `resolver failed to get Pipeline ${name}: ${message}`
    : `failed to read runtime object as Pipeline: ${message}`;
}
