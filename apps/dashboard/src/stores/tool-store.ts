import { signal } from '@preact/signals-core';
import type { Clock } from '@tektite/meta';
import type { ToolAnswers, ToolApi, ToolInput, ToolName } from '../api/tool-answers.ts';

export interface ToolStoreOptions<N extends ToolName> {
  readonly api: ToolApi;
  readonly clock: Clock;
  /** Asks again after a while, until this is true of an answer. Default: at once. */
  readonly isFinal?: (answer: ToolAnswers[N]) => boolean;
}

const againMs = 3000;

/**
 * The answer of a tool. `load` is called whenever the objects behind it have changed: one request at a time, and the last one is
 * made after the last change.
 */
export class ToolStore<N extends ToolName> {
  readonly answer = signal<ToolAnswers[N] | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  private readonly tool: N;
  private readonly options: ToolStoreOptions<N>;
  private wanted: ToolInput | undefined;
  private isBusy = false;
  private isStopped = false;
  private timer: Disposable | undefined;

  constructor(tool: N, options: ToolStoreOptions<N>) {
    this.tool = tool;
    this.options = options;
  }

  load(input: ToolInput): void {
    this.wanted = input;
    if (!this.isBusy) void this.run();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.[Symbol.dispose]();
  }

  private async run(): Promise<void> {
    const { api, clock, isFinal = () => true } = this.options;
    this.timer?.[Symbol.dispose]();
    this.isBusy = true;
    let last: ToolInput = {};
    while (this.wanted && !this.isStopped) {
      last = this.wanted;
      this.wanted = undefined;
      try {
        this.answer.value = await api.call(this.tool, last);
        this.error.value = undefined;
      } catch (error) {
        this.error.value = (error as Error).message;
      }
    }
    this.isBusy = false;
    if (this.isStopped || !this.answer.value || isFinal(this.answer.value)) return;
    this.timer = clock.setTimer(againMs, () => this.load(last));
  }
}
