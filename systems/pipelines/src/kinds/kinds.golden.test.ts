import { existsSync, readFileSync } from 'node:fs';
import { customResourceDefinition, type Kind } from '@tektite/schema';
import { parseYaml } from '@tektite/schema/yaml';
import { describe, expect, it } from 'vitest';
import {
  CustomRun,
  Pipeline,
  PipelineRun,
  PipelineRunV1beta1,
  PipelineV1beta1,
  StepAction,
  StepActionV1alpha1,
  Task,
  TaskRun,
  TaskRunV1beta1,
  TaskV1beta1,
} from './kinds.ts';
import { ResolutionRequest, ResolutionRequestV1alpha1 } from './resolution-request.ts';
import { VerificationPolicy } from './verification-policy.ts';

const folder = new URL('../../../../../shared/data/tekton/crds/', import.meta.url);
const title = existsSync(folder)
  ? "upstream's definitions"
  : "upstream's definitions (absent: nothing to compare with)";

type Json = Record<string, unknown>;

/** The keywords that decide which documents are accepted; lists are atomic by default. */
function bare(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => isProperties || !isRemark(key, item))
      .map(([key, item]) => [key, bare(item, key === 'properties' && !isProperties)])
      .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  );
}

const isRemark = (key: string, value: unknown) =>
  (key === 'description' && typeof value === 'string') ||
  (key === 'x-kubernetes-list-type' && value === 'atomic') ||
  key === 'x-kubernetes-map-type';

describe.runIf(existsSync(folder))(title, () => {
  it.each<[string, string, Kind, ...Kind[]]>([
    ['Task', '300-task.yaml', Task, TaskV1beta1],
    ['TaskRun', '300-taskrun.yaml', TaskRun, TaskRunV1beta1],
    ['StepAction', '300-stepaction.yaml', StepAction, StepActionV1alpha1],
    ['Pipeline', '300-pipeline.yaml', Pipeline, PipelineV1beta1],
    ['PipelineRun', '300-pipelinerun.yaml', PipelineRun, PipelineRunV1beta1],
    ['CustomRun', '300-customrun.yaml', CustomRun],
    ['ResolutionRequest', '300-resolutionrequest.yaml', ResolutionRequest, ResolutionRequestV1alpha1],
    ['VerificationPolicy', '300-verificationpolicy.yaml', VerificationPolicy],
  ])('of %s accept and refuse the same', (_, file, stored, ...others) => {
    const theirs = parseYaml(readFileSync(new URL(file, folder), 'utf8'))[0]?.value as { spec: Json };
    const ours = customResourceDefinition([stored, ...others]) as unknown as { spec: Json };
    const { listKind: _kind, ...names } = ours.spec.names as Json;
    expect(names).toEqual(theirs.spec.names);
    const versions = (spec: Json) =>
      new Map((spec.versions as readonly Json[]).map((version) => [version.name, bare(version)]));
    for (const [name, version] of versions(theirs.spec)) expect(versions(ours.spec).get(name)).toEqual(version);
  });
});
