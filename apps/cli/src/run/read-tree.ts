import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { PipelineRun, TaskRun } from '@tektite/pipelines';
import { pipelineRunNode, type RunNode, taskRunNode } from '@tektite/dashboard/run';
import { pipelineRunLabel, type RunKind, runKinds } from '../input/run-kinds.ts';

/** A run as it is now, with all its parts. */
export async function readTree(client: Client, run: KubeObject): Promise<RunNode> {
  if (run.kind === 'TaskRun') return taskRunNode(run as TaskRun);
  const parts = new Map<string, KubeObject>();
  await readParts(client, run, parts);
  return pipelineRunNode(run as PipelineRun, (kind, name) => parts.get(`${kind}/${name}`));
}

/** Everything under a PipelineRun, by `Kind/name`. */
export async function readParts(client: Client, run: KubeObject, parts: Map<string, KubeObject>): Promise<void> {
  const { namespace = '', name = '' } = run.metadata;
  const selection = { namespace, labelSelector: `${pipelineRunLabel}=${name}` };
  for (const kind of Object.keys(runKinds) as RunKind[]) {
    for await (const part of client.listAll(runKinds[kind], selection)) {
      const key = `${kind}/${part.metadata.name}`;
      if (parts.has(key)) continue;
      parts.set(key, part);
      if (kind === 'PipelineRun') await readParts(client, part, parts);
    }
  }
}
