import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { type RunNode, Timeline } from '@tektite/dashboard/run';
import { cancelRun } from './cancel-run.ts';
import type { LogWindow } from './followed-pod.ts';
import { FollowedRun } from './followed-run.ts';
import type { RunKind } from '../input/run-kinds.ts';
import type { RunEnd, RunView } from './view/run-view.ts';

/** The runs that are shown together, on one view. */
export class RunSession {
  private readonly client: Client;
  private readonly view: RunView;
  private readonly signal: AbortSignal;
  private readonly window: LogWindow;
  private readonly timeline = new Timeline();
  private readonly runs: FollowedRun[] = [];

  constructor(client: Client, view: RunView, signal: AbortSignal, window: LogWindow = {}) {
    this.client = client;
    this.view = view;
    this.signal = signal;
    this.window = window;
  }

  /** Shows a run until it has completed. */
  async follow(object: KubeObject): Promise<RunEnd> {
    const { name = '', namespace = '' } = object.metadata;
    const run = { kind: object.kind as RunKind, key: { namespace, name } };
    const followed = new FollowedRun(this.client, run, this.view, () => this.changed(), this.signal, this.window);
    this.runs.push(followed);
    this.view.started(object.kind, name);
    const end = await followed.ended();
    this.timeline.observe(end.tree, this.client.clock.now());
    this.view.ended(end, this.timeline);
    return end;
  }

  /** Asks all runs to end. They are followed on: what was asked for is not yet so. */
  async cancel(): Promise<void> {
    await Promise.all(this.runs.map(({ kind, key }) => cancelRun(this.client, kind, key)));
  }

  private changed(): void {
    const trees = this.runs.map(({ tree }) => tree).filter((tree): tree is RunNode => tree !== undefined);
    const now = this.client.clock.now();
    for (const tree of trees) this.timeline.observe(tree, now);
    this.view.changed(trees, this.timeline);
  }
}
