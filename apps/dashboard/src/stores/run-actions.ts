import type { KubeObject } from '@tektite/meta';
import { type PipelineRun, resumeRun, type TaskRun } from '@tektite/pipelines/runs';
import type { KubeApi, KubeList } from '../api/kube-api.ts';
import { collectionPath, objectPath, type Resource, resources, withQuery } from '../api/resource.ts';
import { type CancelMode, cancelStatus, runAgain } from '../run/index.ts';

/** Names a run. */
export interface RunName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function runResource(kind: string): Resource {
  return kind === 'PipelineRun'
    ? resources.pipelineRuns
    : kind === 'TaskRun'
      ? resources.taskRuns
      : resources.customRuns;
}

export function runPath({ kind, namespace, name }: RunName): string {
  return objectPath(runResource(kind), namespace, name);
}

/** The changes that people make to runs. Each is one request, with the user's own credentials. */
export class RunActions {
  private readonly api: KubeApi;

  constructor(api: KubeApi) {
    this.api = api;
  }

  async cancel(run: RunName, mode: CancelMode = 'now'): Promise<void> {
    await this.api.write('PATCH', runPath(run), { body: { spec: { status: cancelStatus(run.kind, mode) } } });
  }

  async delete(run: RunName): Promise<void> {
    await this.api.write('DELETE', withQuery(runPath(run), { propagationPolicy: 'Background' }));
  }

  /** Creates the run again and returns the new one. */
  rerun(run: KubeObject): Promise<KubeObject> {
    return this.create(runAgain(run));
  }

  /** Creates a run of the tasks that did not succeed. */
  async rerunFromFailed(run: KubeObject): Promise<KubeObject> {
    const { namespace = '', name = '' } = run.metadata;
    const children: KubeObject[] = [];
    for (const resource of [resources.taskRuns, resources.customRuns]) {
      const path = withQuery(collectionPath(resource, namespace), { labelSelector: `tekton.dev/pipelineRun=${name}` });
      const list = await this.api.get<KubeList>(path);
      children.push(...(list.items ?? []));
    }
    return this.create(resumeRun(run as unknown as PipelineRun, children as unknown as TaskRun[]).run);
  }

  create(object: KubeObject): Promise<KubeObject> {
    const path = collectionPath(runResource(object.kind), object.metadata.namespace ?? 'default');
    return this.api.write('POST', path, { body: object });
  }

  /** Does the same for many, a few at a time. Returns the messages of those that failed. */
  async each(runs: readonly RunName[], action: (run: RunName) => Promise<void>): Promise<readonly string[]> {
    const errors: string[] = [];
    const queue = [...runs];
    const work = async () => {
      for (let run = queue.shift(); run; run = queue.shift()) {
        try {
          await action(run);
        } catch (error) {
          errors.push(`${run.name}: ${(error as Error).message}`);
        }
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    return errors;
  }
}
