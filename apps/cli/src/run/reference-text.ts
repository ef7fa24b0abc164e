import type { KubeObject } from '@tektite/meta';

interface Reference {
  readonly name?: string;
  readonly kind?: string;
  readonly resolver?: string;
}

/** The Pipeline or Task that a run is of, as people name it. */
export function referenceText(run: KubeObject): string {
  const { spec = {} } = run as { spec?: Readonly<Record<string, unknown>> };
  for (const field of ['pipelineRef', 'taskRef', 'customRef']) {
    const reference = spec[field] as Reference | undefined;
    if (reference?.name) return `${reference.kind ?? kindOf[field]} ${reference.name}`;
    if (reference?.resolver) return `from the ${reference.resolver} resolver`;
  }
  return 'its own spec';
}

const kindOf: Readonly<Record<string, string>> = { pipelineRef: 'Pipeline', taskRef: 'Task', customRef: 'CustomRun' };
