import type { ObjectMeta } from '@tektite/meta';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';

const pipelineLabel = 'tekton.dev/pipeline';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** A run with the label that says which Pipeline it is of. */
export function withPipelineLabel(run: PipelineRun, pipeline: string): PipelineRun {
  const { labels = {} } = run.metadata;
  if (Object.hasOwn(labels, pipelineLabel)) return run;
  return { ...run, metadata: { ...run.metadata, labels: { ...labels, [pipelineLabel]: pipeline } } };
}

/** A run with what its Pipeline says of itself, once, when that is found; what the run itself says wins. */
export function withPipelineMetadata(run: PipelineRun, pipeline: ObjectMeta): PipelineRun {
  const { labels: own = {}, annotations: notes } = run.metadata;
  const { [lastApplied]: _, ...inherited } = pipeline.annotations ?? {};
  const labels: Record<string, string> = { ...pipeline.labels, ...own };
  const { name = '', generateName = '' } = pipeline;
  if (name !== '' && (!labels[pipelineLabel] || generateName === '')) labels[pipelineLabel] = name;
  const annotations = { ...inherited, ...notes };
  return {
    ...run,
    metadata: { ...run.metadata, labels, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
  };
}
