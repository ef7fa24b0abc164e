import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import { type Replacements, stringReplacements } from '../../../substitution/replacements.ts';

/** `$(context.pipelineRun.name)` and its relatives. */
export function contextVariables(pipeline: string, { metadata }: PipelineRun): Replacements {
  const { name = '', namespace = '', uid = '' } = metadata;
  return stringReplacements([
    ['context.pipelineRun.name', name],
    ['context.pipeline.name', pipeline],
    ['context.pipelineRun.namespace', namespace],
    ['context.pipelineRun.uid', uid],
  ]);
}
