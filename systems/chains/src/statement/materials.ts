import { parseDigest } from '../artifacts/digest.ts';
import { structuredArtifactsIn, textOf } from '../artifacts/type-hints.ts';
import {
  executedTaskRuns,
  type ParamSpec,
  type ParamValue,
  type PipelineRun,
  type RefSource,
  type RunResult,
  type TaskRun,
} from '../kinds/runs.ts';
import { appendMaterials, type Material, materialOf } from './resource-descriptor.ts';

/** An image whose digest is not known: nothing can be said about what the run used. */
export class ImageIdError extends Error {
  override readonly name = 'ImageIdError';
}

/** The materials of a TaskRun: the images of its steps and sidecars, the git commit, and inputs among its results. */
export function taskMaterials(run: TaskRun): readonly Material[] {
  return appendMaterials(appendMaterials([], imageMaterials(run)), inputsOfTaskRun(run));
}

/** The materials of a PipelineRun: its own definition, then what its TaskRuns read. */
export function pipelineMaterials(
  run: PipelineRun,
  taskRuns: readonly TaskRun[],
  deepInspection: boolean,
): readonly Material[] {
  let materials = appendMaterials([], sourceMaterial(run.status?.provenance?.refSource));
  for (const taskRun of executedTaskRuns(run, taskRuns)) {
    materials = appendMaterials(materials, imageMaterials(taskRun));
    materials = appendMaterials(materials, sourceMaterial(taskRun.status?.provenance?.refSource));
  }
  return appendMaterials(materials, inputsOfPipelineRun(run, taskRuns, deepInspection));
}

/** The images of steps, then those of sidecars. */
export function imageMaterials({ status }: TaskRun): readonly Material[] {
  const images = [...(status?.steps ?? []), ...(status?.sidecars ?? [])].map(({ imageID = '' }) =>
    imageMaterial(imageID),
  );
  return appendMaterials([], images);
}

/** The git commit of params and results, and structured inputs among the results. */
export function inputsOfTaskRun(run: TaskRun): readonly Material[] {
  const { status, spec } = run;
  const commit = gitCommit([defaultsOf(status?.taskSpec?.params), spec?.params ?? [], status?.results ?? []]);
  return appendMaterials(appendMaterials([], commit), structuredInputs(status?.results ?? []));
}

/** Inputs that StepActions name among the results of their steps. */
export function inputsOfSteps({ status }: TaskRun): readonly Material[] {
  const steps = status?.steps ?? [];
  const commits = steps.flatMap(({ results = [] }) => gitCommit([results]));
  return appendMaterials(appendMaterials([], commits), structuredInputs(steps.flatMap(({ results = [] }) => results)));
}

export function inputsOfPipelineRun(
  run: PipelineRun,
  taskRuns: readonly TaskRun[],
  deepInspection: boolean,
): readonly Material[] {
  const { status, spec } = run;
  let materials = appendMaterials([], structuredInputs(status?.results ?? []));
  if (deepInspection)
    for (const taskRun of executedTaskRuns(run, taskRuns))
      materials = appendMaterials(materials, inputsOfTaskRun(taskRun));
  const commit = gitCommit([defaultsOf(status?.pipelineSpec?.params), spec?.params ?? [], status?.results ?? []], true);
  return appendMaterials(materials, commit);
}

export function sourceMaterial(source: RefSource | undefined): readonly Material[] {
  return source === undefined ? [] : [materialOf(source)];
}

function structuredInputs(results: readonly RunResult[]): readonly Material[] {
  return structuredArtifactsIn(results, 'ARTIFACT_INPUTS').flatMap(({ uri, digest }) => {
    const parsed = parseDigest(digest);
    return parsed === undefined ? [] : [{ uri, digest: { [parsed[0]]: parsed[1] } }];
  });
}

interface Named {
  readonly name: string;
  readonly value: ParamValue;
}

function defaultsOf(params: readonly ParamSpec[] = []): readonly Named[] {
  return params.flatMap(({ name, default: value }) => (value === undefined ? [] : [{ name, value }]));
}

/**
 * The commit of `CHAINS-GIT_URL` and `CHAINS-GIT_COMMIT`; later sources win. A TaskRun without an address has the
 * empty one, which upstream completes to `git+.git`; a PipelineRun needs both.
 */
function gitCommit(sources: readonly (readonly Named[])[], needsUrl = false): readonly Material[] {
  let [commit, url] = ['', ''];
  for (const { name, value } of sources.flat()) {
    if (name === 'CHAINS-GIT_COMMIT') commit = textOf(value);
    if (name === 'CHAINS-GIT_URL') url = textOf(value);
  }
  if (commit === '' || (needsUrl && url === '')) return [];
  return [{ uri: gitUri(url), digest: { sha1: commit } }];
}

function gitUri(url: string): string {
  const prefixed = url.startsWith('git+') ? url : `git+${url}`;
  return prefixed.endsWith('.git') ? prefixed : `${prefixed}.git`;
}

function imageMaterial(imageId: string): Material {
  // Steps that run as programs of the machine have no image: what they were is said, and that it has no digest.
  if (imageId.startsWith('host://')) return { uri: imageId };
  const [name = '', digest, ...more] = imageId.split('@');
  if (digest === undefined || more.length > 0)
    throw new ImageIdError(`expected imageID ${imageId} to be separable by @`);
  const [algorithm = '', hex, ...rest] = digest.split(':');
  if (hex === undefined || rest.length > 0)
    throw new ImageIdError(`expected imageID ${imageId} to be separable by @ and :`);
  return { uri: `oci://${name.replace(/^docker-pullable:\/\//, '')}`, digest: { [algorithm]: hex } };
}
