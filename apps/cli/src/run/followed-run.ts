import { type Client, type ObjectKey, resilientWatch } from '@tektite/client';
import { type KubeObject, sleep } from '@tektite/meta';
import type { PipelineRun, RunCondition, RunResult, TaskRun } from '@tektite/pipelines';
import { conditionOf, pipelineRunNode, type RunNode, stateOf, taskOrder, taskRunNode } from '@tektite/dashboard/run';
import { followPod, type LogWindow, type StepEnd } from './followed-pod.ts';
import { LogOrder } from './log-order.ts';
import { MissingPrograms, registryHint } from './missing-program.ts';
import { pipelineRunLabel, type RunKind, runKinds } from '../input/run-kinds.ts';
import type { RunEnd, RunView } from './view/run-view.ts';

/** How long Pods may be silent that go on when their run has completed: they are being deleted, or their node is gone. */
const lastNewsMs = 3000;

interface AnyRun extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly RunCondition[];
    readonly results?: readonly RunResult[];
    readonly podName?: string;
  };
}

/** A run with all its parts, followed to its end. */
export class FollowedRun {
  readonly kind: RunKind;
  readonly key: ObjectKey & { readonly namespace: string };
  private readonly client: Client;
  private readonly view: RunView;
  private readonly changed: () => void;
  private readonly window: LogWindow;
  private readonly stop = new AbortController();
  private readonly signal: AbortSignal;
  /** The newest state of everything, by `Kind/name`. */
  private readonly objects = new Map<string, AnyRun>();
  /** The logs of each Pod, while they are read. */
  private readonly logs = new Map<string, Promise<void>>();
  /** The Pods of which a log is left that ends by itself, and those that are not known yet. */
  private readonly ending = new Set<string>();
  private readonly log: LogOrder;
  private readonly missing = new MissingPrograms();
  private readonly hinted = new Set<string>();
  private news = 0;
  private readonly watches: Promise<void>[] = [];
  /** Each resolves when one kind of parts was listed completely. */
  private readonly lists: Promise<void>[] = [];
  /** Wakes the wait for the next change. */
  private wake = () => {};
  private failure: Error | undefined;

  constructor(
    client: Client,
    run: { readonly kind: RunKind; readonly key: ObjectKey & { readonly namespace: string } },
    view: RunView,
    changed: () => void,
    signal: AbortSignal,
    window: LogWindow = {},
  ) {
    this.client = client;
    this.kind = run.kind;
    this.key = run.key;
    this.view = view;
    this.changed = changed;
    this.window = window;
    this.signal = AbortSignal.any([signal, this.stop.signal]);
    this.log = new LogOrder((pod, tasks) => this.followLogs(pod, tasks));
  }

  get tree(): RunNode | undefined {
    const root = this.objects.get(`${this.kind}/${this.key.name}`);
    return root && this.nodeOf(root);
  }

  /** Follows the run until it has completed and its logs are shown. */
  async ended(): Promise<RunEnd> {
    try {
      const run = await this.watchRoot();
      // Grows while it is walked: a part may have parts.
      for (const list of this.lists) await list;
      const read = async () => {
        await this.log.flushed();
        await Promise.allSettled(this.logs.values());
        await this.partsEnded();
      };
      await Promise.race([read(), this.silence()]);
      return this.endOf(run);
    } finally {
      this.stop.abort();
      await Promise.allSettled([...this.watches, ...this.logs.values()]);
    }
  }

  /**
   * Resolves when there was nothing new of Pods for a while, and no log is left that ends by itself: a slow server would make
   * a run look silent that has not been read.
   */
  private async silence(): Promise<void> {
    for (let before = -1; before !== this.news || this.ending.size > 0; ) {
      before = this.news;
      await sleep(this.client.clock, lastNewsMs, this.signal);
    }
  }

  private async watchRoot(): Promise<AnyRun> {
    const { name, namespace } = this.key;
    const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal: this.signal };
    for await (const event of resilientWatch<KubeObject>(this.client, runKinds[this.kind], selection)) {
      if (this.failure) throw this.failure;
      if (event.type === 'deleted' || event.type === 'vanished')
        throw new Error(`the ${this.kind} ${name} was deleted`);
      if (event.type !== 'added' && event.type !== 'modified') continue;
      const run = event.object as AnyRun;
      this.take(run, []);
      const { status = 'Unknown' } = conditionOf(run) ?? {};
      if (status !== 'Unknown') return run;
    }
    throw new Error('the watch ended');
  }

  private watchParts(pipelineRun: string, tasks: readonly string[]): void {
    const { namespace } = this.key;
    const selection = { namespace, labelSelector: `${pipelineRunLabel}=${pipelineRun}`, signal: this.signal };
    const watchKind = async (kind: RunKind, listed: () => void) => {
      for await (const event of resilientWatch<KubeObject>(this.client, runKinds[kind], selection)) {
        if (event.type === 'added' || event.type === 'modified') this.take(event.object as AnyRun, tasks);
        if (event.type === 'synced') listed();
      }
    };
    const lists = (Object.keys(runKinds) as RunKind[]).map(
      (kind) =>
        new Promise<void>((resolve) => {
          this.watches.push(this.attended(watchKind(kind, resolve)).finally(resolve));
        }),
    );
    this.lists.push(this.log.hold(Promise.all(lists)));
  }

  /** The watch may report the end of the run before that of its parts. */
  private async partsEnded(): Promise<void> {
    const goesOn = (run: AnyRun) => (conditionOf(run)?.status ?? 'Unknown') === 'Unknown';
    while ([...this.objects.values()].some(goesOn) && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Something new about a part; `tasks` leads to the pipeline that it is in. */
  private take(run: AnyRun, tasks: readonly string[]): void {
    const { name = '', labels = {} } = run.metadata;
    const key = `${run.kind}/${name}`;
    const isNew = !this.objects.has(key);
    this.hint(run);
    this.objects.set(key, run);
    const isRoot = key === `${this.kind}/${this.key.name}`;
    const here = isRoot ? tasks : [...tasks, partName(run, labels)];
    if (run.kind === 'PipelineRun' && isNew) this.watchParts(name, here);
    if (run.kind === 'TaskRun' && run.status?.podName) this.log.add(run as TaskRun, here, this.rankOf(labels));
    this.wake();
    this.changed();
  }

  private hint(run: AnyRun): void {
    const { reason, message = '' } = conditionOf(run) ?? {};
    const hint = reason === 'PodCreationFailed' ? registryHint(message) : undefined;
    if (hint === undefined || this.hinted.has(hint)) return;
    this.hinted.add(hint);
    this.view.note(hint);
  }

  private rankOf(labels: Readonly<Record<string, string>>): number {
    const pipelineRun = this.objects.get(`PipelineRun/${labels[pipelineRunLabel]}`) as PipelineRun | undefined;
    return pipelineRun ? taskOrder(pipelineRun).indexOf(labels['tekton.dev/pipelineTask'] ?? '') : 0;
  }

  private followLogs(pod: string, tasks: readonly string[]): Promise<void> {
    const { view } = this;
    const place = (step: string) => ({ run: this.key.name, tasks, step });
    const listener = {
      ending: (isEnding: boolean) => {
        this.news++;
        if (isEnding) this.ending.add(pod);
        else this.ending.delete(pod);
      },
      log: (step: string, line: string) => {
        this.news++;
        this.missing.log(`${pod}/${step}`, line);
        view.log(place(step), line);
      },
      ended: (step: string, { exitCode, skipped, unusedImage }: StepEnd) => {
        view.stepEnded(place(step), exitCode, skipped);
        const hint = this.missing.ended(`${pod}/${step}`, exitCode, unusedImage);
        if (hint !== undefined) view.note(hint);
      },
      stuck: (reason: string) => view.note(reason),
    };
    const key = { namespace: this.key.namespace, name: pod };
    this.ending.add(pod);
    const read = this.attended(followPod(this.client, key, listener, this.signal, this.window)).finally(() =>
      this.ending.delete(pod),
    );
    this.logs.set(pod, read);
    return read;
  }

  /** Failures of other watches are reported with the next event of the root; being stopped is no failure. */
  private attended(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      if (!this.signal.aborted) this.failure = error as Error;
    });
  }

  private nodeOf(run: AnyRun): RunNode {
    if (run.kind === 'TaskRun') return taskRunNode(run as TaskRun);
    return pipelineRunNode(run as PipelineRun, (kind, name) => this.objects.get(`${kind}/${name}`));
  }

  private endOf(run: AnyRun): RunEnd {
    const condition = conditionOf(run);
    return {
      kind: this.kind,
      name: this.key.name,
      state: stateOf(condition),
      ...(condition?.reason ? { reason: condition.reason } : {}),
      ...(condition?.message ? { message: condition.message } : {}),
      results: run.status?.results ?? [],
      tree: this.nodeOf(run),
      object: run,
    };
  }
}

/** The task of the pipeline; of a matrix, which one of them. */
function partName(run: AnyRun, labels: Readonly<Record<string, string>>): string {
  const task = labels['tekton.dev/pipelineTask'] ?? run.metadata.name ?? '';
  const number = /-(\d+)$/.exec(run.metadata.name ?? '')?.[1];
  return number !== undefined && !task.endsWith(`-${number}`) ? `${task}-${number}` : task;
}
