import { kinds } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { strippingTransforms } from '../../cache/cache-transforms.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags, type FeatureFlags } from '../../config/feature-flags.ts';
import type { CustomRunStatus } from '../../kinds/custom-run-spec.ts';
import { CustomRun, Pipeline, PipelineRun, Task, TaskRun } from '../../kinds/kinds.ts';
import type { ParamValue } from '../../kinds/param.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import type { PipelineTask } from '../../kinds/pipeline-spec.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import { typeOfValue } from '../../kinds/param.ts';
import { runQueueController } from '../run-queue/controller.ts';
import { pipelineRunController } from './controller.ts';

export const namespace = 'default';

/** A task that could be run with a TaskRun controller: here, the tests complete its TaskRuns. */
export const task = (name: string, more: Partial<PipelineTask> = {}): PipelineTask => ({
  name,
  taskSpec: { steps: [{ name: 's', image: 'busybox', script: 'true' }], results: [{ name: 'r' }] },
  ...more,
});

/** PipelineRuns on a separate server with a virtual clock. */
export class PipelineBench {
  readonly plane: ControlPlane;
  readonly clock: VirtualClock;
  readonly manager: Manager;

  private constructor(plane: ControlPlane, clock: VirtualClock, flags: FeatureFlags) {
    this.plane = plane;
    this.clock = clock;
    this.manager = new Manager(plane.client, { name: 'PipelineRun', graceMs: 0 });
    this.manager.add(runQueueController());
    this.manager.add(
      pipelineRunController({
        flags: () => flags,
        defaults: () => standardDefaults,
        nopImage: 'nop',
        transforms: strippingTransforms,
      }),
    );
  }

  static async start(flags: Partial<FeatureFlags> = {}): Promise<PipelineBench> {
    const clock = virtualClock();
    const plane = await startControlPlane({ clock });
    await clock.until(installKinds(plane.client, [Task, TaskRun, Pipeline, PipelineRun, CustomRun, ResolutionRequest]));
    const bench = new PipelineBench(plane, clock, { ...defaultFeatureFlags, ...flags });
    await clock.until(bench.manager.start().synced());
    return bench;
  }

  async stop(): Promise<void> {
    await this.manager.stop();
    await this.plane.close();
  }

  /** Creates a run with these tasks and lets it do what it can. */
  async run(tasks: readonly PipelineTask[], spec: PipelineRunSpec = {}, name = 'pr'): Promise<void> {
    const { pipelineSpec, ...rest } = spec;
    await this.create({ ...rest, pipelineSpec: { ...pipelineSpec, tasks } }, name);
  }

  async create(spec: PipelineRunSpec, name = 'pr', annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.plane.client.create(PipelineRun, { metadata: { namespace, name, annotations }, spec });
    await this.clock.advance(100);
  }

  async status(name = 'pr') {
    return (await this.plane.client.get(PipelineRun, { namespace, name })).status ?? {};
  }

  /** `status reason: message`. */
  async condition(name = 'pr'): Promise<string> {
    const { status, reason, message = '' } = (await this.status(name)).conditions?.[0] ?? {};
    return `${status} ${reason}: ${message}`;
  }

  taskRun(name: string) {
    return this.plane.client.get(TaskRun, { namespace, name });
  }

  /** The names of all TaskRuns. */
  async taskRuns(): Promise<readonly string[]> {
    const { items } = await this.plane.client.list(TaskRun, { namespace });
    return items.map(({ metadata }) => metadata.name ?? '').sort();
  }

  /** Ends a TaskRun. */
  async end(name: string, how: 'ok' | 'failed', results: Readonly<Record<string, ParamValue>> = {}): Promise<void> {
    const found = await this.taskRun(name);
    const condition =
      how === 'ok'
        ? { type: 'Succeeded', status: 'True', reason: 'Succeeded' }
        : found.spec.status
          ? { type: 'Succeeded', status: 'False', reason: found.spec.status }
          : { type: 'Succeeded', status: 'False', reason: 'StepFailed' };
    const reported = Object.entries(results).map(([key, value]) => ({ name: key, type: typeOfValue(value), value }));
    const status = {
      podName: `${name}-pod`,
      conditions: [condition],
      results: reported,
      taskSpec: found.spec.taskSpec,
    };
    await this.plane.client.updateStatus(TaskRun, { ...found, status } as never);
    await this.clock.advance(100);
  }

  async endCustom(name: string, status: CustomRunStatus): Promise<void> {
    const found = await this.plane.client.get(CustomRun, { namespace, name });
    await this.plane.client.updateStatus(CustomRun, { ...found, status });
    await this.clock.advance(100);
  }

  /** Changes what a user wants of a run. */
  async ask(status: string, name = 'pr'): Promise<void> {
    const patch = { contentType: 'application/merge-patch+json' as const, body: { spec: { status: status || null } } };
    await this.plane.client.patch(PipelineRun, { namespace, name }, patch);
    await this.clock.advance(100);
  }

  async events(): Promise<readonly string[]> {
    await this.clock.until(this.manager.events.flushed());
    const { items } = await this.plane.client.list(kinds.Event, { namespace });
    return items.map(({ reason = '', message = '' }) => `${reason} ${message}`);
  }

  async exists(kind: 'StatefulSet' | 'PersistentVolumeClaim'): Promise<readonly KubeObject[]> {
    return (await this.plane.client.list(kinds[kind] as never, { namespace })).items as readonly KubeObject[];
  }
}
