import { parseDigest } from '../artifacts/digest.ts';
import {
  type Artifact,
  buildArtifactsIn,
  imagesIn,
  namedArtifactsIn,
  structuredArtifactsIn,
} from '../artifacts/type-hints.ts';
import { executedTaskRuns, type RunResult, type SignedRun, type TaskRun } from '../kinds/runs.ts';
import { appendSubjects, type ResourceDescriptor } from './resource-descriptor.ts';

/** The artifacts that a run made, by the hints among its results. For the formats before `slsa/v2alpha4`. */
export function subjectsOf(signed: SignedRun, deepInspection: boolean): readonly ResourceDescriptor[] {
  const own = subjectsIn(signed.run.status?.results ?? []);
  if (signed.kind === 'TaskRun' || !deepInspection) return own;
  const ofTasks = executedTaskRuns(signed.run, signed.taskRuns).reduce<readonly ResourceDescriptor[]>(
    (subjects, { status }) => appendSubjects(subjects, subjectsIn(status?.results ?? [])),
    [],
  );
  return appendSubjects(ofTasks, own);
}

/** The artifacts that a run says it has built; results of its steps count, too. For `slsa/v2alpha4`. */
export function builtSubjectsOf(signed: SignedRun, deepInspection: boolean): readonly ResourceDescriptor[] {
  if (signed.kind === 'TaskRun') return builtByTaskRun(signed.run);
  const own = builtSubjectsIn(signed.run.status?.results ?? []);
  if (!deepInspection) return own;
  return executedTaskRuns(signed.run, signed.taskRuns).reduce(
    (subjects, taskRun) => appendSubjects(subjects, builtByTaskRun(taskRun)),
    own,
  );
}

function builtByTaskRun({ status }: TaskRun): readonly ResourceDescriptor[] {
  const ofSteps = (status?.steps ?? []).reduce<readonly ResourceDescriptor[]>(
    (subjects, { results = [] }) => appendSubjects(subjects, builtSubjectsIn(results)),
    [],
  );
  return appendSubjects(ofSteps, builtSubjectsIn(status?.results ?? []));
}

function subjectsIn(results: readonly RunResult[]): readonly ResourceDescriptor[] {
  const artifacts = [...namedArtifactsIn(results), ...structuredArtifactsIn(results, 'ARTIFACT_OUTPUTS')];
  return appendSubjects(appendSubjects([], imageSubjects(results)), artifacts.map(subjectOf));
}

function builtSubjectsIn(results: readonly RunResult[]): readonly ResourceDescriptor[] {
  return appendSubjects(appendSubjects([], buildArtifactsIn(results).map(subjectOf)), imageSubjects(results));
}

function imageSubjects(results: readonly RunResult[]): readonly ResourceDescriptor[] {
  return imagesIn(results).map(({ repository, digest }) => ({ name: repository, digest: digestSet(digest) }));
}

function subjectOf({ uri, digest }: Artifact): ResourceDescriptor {
  return { name: uri, digest: digestSet(digest) };
}

/** The digest as it was given: upstream splits it, and does not tidy the parts. */
function digestSet(digest: string): Record<string, string> {
  const [algorithm = '', hex = ''] = digest.split(':');
  return parseDigest(digest) === undefined ? {} : { [algorithm]: hex };
}
