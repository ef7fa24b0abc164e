import { goJson } from '@tektite/go';
import { isBrokenBuildArtifact, isBuildArtifact, isImageHint } from '../artifacts/type-hints.ts';
import { executedTaskRuns, type RefSource, type RunResult, type SignedRun, type TaskRun } from '../kinds/runs.ts';
import type { StatementOptions } from './options.ts';
import { pipelineDependencies, taskDependencies } from './resolved-dependencies.ts';
import type { ResourceDescriptor } from './resource-descriptor.ts';
import { orderedDescriptor, type Statement } from './statement.ts';
import { builtSubjectsOf, subjectsOf } from './subjects.ts';

/** SLSA provenance v1: the formats `slsa/v2alpha3` and `slsa/v2alpha4`. */
export function slsaV1(
  signed: SignedRun,
  format: 'slsa/v2alpha3' | 'slsa/v2alpha4',
  options: StatementOptions,
): Statement {
  const isNewer = format === 'slsa/v2alpha4';
  const { run } = signed;
  const dependencyOptions = { ...options, withSteps: isNewer };
  const dependencies =
    signed.kind === 'TaskRun'
      ? taskDependencies(signed.run, dependencyOptions)
      : pipelineDependencies(signed.run, signed.taskRuns, dependencyOptions);
  const products = isNewer
    ? byproducts(signed, options.deepInspection)
    : resultProducts(run.status?.results, `${lower(signed.kind)}Results`);
  const { uid = '' } = run.metadata;
  const { startTime, completionTime } = run.status ?? {};
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: isNewer ? builtSubjectsOf(signed, options.deepInspection) : subjectsOf(signed, options.deepInspection),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: options.buildType,
        externalParameters: externalParameters(signed),
        internalParameters: internalParameters(signed, options.buildType),
        ...listed('resolvedDependencies', dependencies),
      },
      runDetails: {
        builder: options.builderId === '' ? {} : { id: options.builderId },
        metadata: {
          ...(uid === '' ? {} : { invocationId: uid }),
          ...(startTime === undefined ? {} : { startedOn: startTime }),
          ...(completionTime === undefined ? {} : { finishedOn: completionTime }),
        },
        ...listed('byproducts', products),
      },
    },
  };
}

function listed(name: string, list: readonly ResourceDescriptor[]): Record<string, unknown> {
  return list.length === 0 ? {} : { [name]: list.map(orderedDescriptor) };
}

/** The request of the user: the spec of the run, and where its definition was read from, if it was elsewhere. */
function externalParameters(signed: SignedRun): Record<string, unknown> {
  const reference = signed.kind === 'TaskRun' ? signed.run.spec?.taskRef : signed.run.spec?.pipelineRef;
  const resolver = reference?.resolver ?? '';
  const refSource = signed.run.status?.provenance?.refSource;
  const isRemote = resolver !== '' && resolver !== 'Cluster' && refSource !== undefined;
  return { ...(isRemote ? { buildConfigSource: configSource(refSource) } : {}), runSpec: signed.run.spec ?? {} };
}

function configSource({ uri = '', digest = {}, entryPoint = '' }: RefSource): Record<string, string> {
  const [first] = Object.entries(digest);
  return { ref: first === undefined ? '' : `${first[0]}:${first[1]}`, repository: uri, path: entryPoint };
}

function internalParameters({ run }: SignedRun, buildType: string): Record<string, unknown> {
  const flags = run.status?.provenance?.featureFlags;
  const { labels = null, annotations = null } = run.metadata;
  return {
    ...(flags === undefined ? {} : { 'tekton-pipelines-feature-flags': flags }),
    ...(buildType.endsWith('/slsa-tekton') ? { labels, annotations } : {}),
  };
}

/** Results that are neither images nor built artifacts; of a PipelineRun, on demand, those of its TaskRuns, too. */
function byproducts(signed: SignedRun, deepInspection: boolean): readonly ResourceDescriptor[] {
  if (signed.kind === 'TaskRun') return productsOfTaskRun(signed.run);
  const { run, taskRuns } = signed;
  const own = resultProducts(otherResults(run.status?.results), `pipelineRunResults/${run.metadata.name}`);
  return deepInspection ? [...own, ...executedTaskRuns(run, taskRuns).flatMap(productsOfTaskRun)] : own;
}

function productsOfTaskRun({ metadata: { name }, status }: TaskRun): readonly ResourceDescriptor[] {
  const ofSteps = (status?.steps ?? []).flatMap(({ results = [] }) => results);
  return [
    ...resultProducts(otherResults(status?.results), `taskRunResults/${name}`),
    ...resultProducts(otherResults(ofSteps), `stepResults/${name}`),
  ];
}

function otherResults(results: readonly RunResult[] = []): readonly RunResult[] {
  return results.filter((result) => !isBuildArtifact(result) && !isBrokenBuildArtifact(result) && !isImageHint(result));
}

function resultProducts(results: readonly RunResult[] = [], folder: string): readonly ResourceDescriptor[] {
  return results.map(({ name, value }) => ({
    name: `${folder}/${name}`,
    content: Buffer.from(goJson(value)).toString('base64'),
    mediaType: 'application/json',
  }));
}

function lower(kind: string): string {
  return kind.charAt(0).toLowerCase() + kind.slice(1);
}
