import { signal } from '@preact/signals-core';
import type { Clock } from '@tektite/meta';
import type { KubeApi } from '../api/kube-api.ts';
import { objectPath, resources, withQuery } from '../api/resource.ts';
import type { ToolApi } from '../api/tool-answers.ts';
import type { LogMatch, LogRow } from '../logs/log-document.ts';
import type { LogReply, LogRequest } from '../logs/log-messages.ts';
import type { RunState } from '../run/index.ts';

/** A step whose log is shown. */
export interface LogStep {
  /** The name of the section. */
  readonly id: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly isRunning: boolean;
  readonly state: RunState;
  /** Closed until it is opened: earlier attempts are. */
  readonly isFolded: boolean;
  /** The part of the log's content that the status has kept; shown when the Pod was deleted. */
  readonly kept: readonly string[];
  /** The log of its TaskRun in the archive, read when the Pod was deleted. */
  readonly archived?: string;
  /** The run was deleted: a Pod of this name is of another. */
  readonly isArchived?: boolean;
}

/** The worker, or the same without one. */
export interface LogPort {
  post(request: LogRequest): void;
  onReply(listener: (reply: LogReply) => void): void;
  close(): void;
}

interface OpenLog {
  readonly pod: string;
  close: () => void;
}

const retryMs = 1000;

/** The logs of the steps of a task: streams in, rows out. The rows are made by the worker. */
export class LogStore {
  readonly count = signal(0);
  readonly lines = signal(0);
  readonly window = signal<{ readonly first: number; readonly rows: readonly LogRow[] }>({ first: 0, rows: [] });
  readonly matches = signal<readonly LogMatch[]>([]);
  readonly total = signal(0);
  readonly searchError = signal<string | undefined>(undefined);
  /** Why a step has no log, by section: its Pod was deleted, or it may not be read. */
  readonly problems = signal<ReadonlyMap<string, string>>(new Map());
  readonly located = signal<number | undefined>(undefined);
  private readonly api: KubeApi;
  private readonly clock: Clock;
  private readonly port: LogPort;
  private readonly tools: ToolApi | undefined;
  private readonly archivedLogs = new Map<string, Promise<ReadonlyMap<string, string>>>();
  private readonly open = new Map<string, OpenLog>();
  private onText: ((parts: readonly string[]) => void) | undefined;
  private isClosed = false;

  constructor(api: KubeApi, clock: Clock, port: LogPort, tools?: ToolApi) {
    this.tools = tools;
    this.api = api;
    this.clock = clock;
    this.port = port;
    port.onReply((reply) => this.receive(reply));
  }

  /** Opens the logs of steps that started since the last call, in this order. */
  show(steps: readonly LogStep[]): void {
    for (const step of steps) {
      const known = this.open.get(step.id);
      if (known?.pod === step.pod) continue;
      // Another attempt of the step has another Pod.
      known?.close();
      if (known) this.port.post({ type: 'clear', section: step.id });
      this.read(step, () => this.isClosed);
    }
    this.port.post({ type: 'order', sections: steps.map(({ id }) => id) });
  }

  showWindow(first: number, last: number): void {
    this.port.post({ type: 'window', first, last });
  }

  fold(section: string, isFolded: boolean): void {
    this.port.post({ type: 'fold', section, isFolded });
  }

  wrap(columns: number): void {
    this.port.post({ type: 'wrap', columns });
  }

  search(pattern: string, isCaseSensitive = false): void {
    this.port.post({ type: 'search', pattern, isCaseSensitive });
  }

  locate(section: string, line: number): void {
    this.port.post({ type: 'locate', section, line });
  }

  /** All of it, for a download. */
  text(withTimes: boolean): Promise<readonly string[]> {
    return new Promise((resolve) => {
      this.onText = resolve;
      this.port.post({ type: 'text', withTimes });
    });
  }

  close(): void {
    this.isClosed = true;
    for (const { close } of this.open.values()) close();
    this.port.close();
  }

  private read(step: LogStep, isStopped: () => boolean): void {
    const { id, namespace, pod, container } = step;
    const path = withQuery(`${objectPath(resources.pods, namespace, pod)}/log`, {
      container,
      follow: true,
      timestamps: true,
    });
    this.port.post({ type: 'open', section: id });
    if (step.isFolded) this.port.post({ type: 'fold', section: id, isFolded: true });
    const log: OpenLog = { pod, close: () => undefined };
    this.open.set(id, log);
    if (step.isArchived) return void this.readArchived(step, isStopped);
    log.close = this.api.stream(path, {
      onData: (bytes) => this.port.post({ type: 'append', section: id, bytes }),
      onEnd: (status) => {
        if (isStopped()) return;
        if (!status) this.port.post({ type: 'end', section: id });
        else if (status.code === 404) void this.readArchived(step, isStopped);
        else if (status.code === 403) this.addProblem(id, status.message ?? '');
        else {
          // The connection was cut, or the container is not there yet. A log is read again from its start.
          const timer = this.clock.setTimer(retryMs, () => {
            if (isStopped()) return;
            this.port.post({ type: 'clear', section: id });
            this.read(step, isStopped);
          });
          log.close = () => timer[Symbol.dispose]();
        }
      },
    });
  }

  /** From the archive, or what the status has kept if it is not there. */
  private async readArchived(step: LogStep, isStopped: () => boolean): Promise<void> {
    const { id, namespace, archived } = step;
    if (!this.tools || archived === undefined) return this.showKept(step);
    const known = this.archivedLogs.get(archived) ?? readArchivedLog(this.tools, namespace, archived);
    this.archivedLogs.set(archived, known);
    const text = (await known.catch(() => undefined))?.get(id);
    if (isStopped()) return;
    if (text === undefined) return this.showKept(step);
    this.port.post({ type: 'append', section: id, bytes: new TextEncoder().encode(text) });
    this.port.post({ type: 'end', section: id });
  }

  /** In place of a log whose Pod was deleted. */
  private showKept({ id, kept }: LogStep): void {
    this.addProblem(id, 'The Pod of this step was deleted, and its log with it.');
    const text = ['Kept in the status:', ...kept].map((line) => `${line}\n`).join('');
    if (kept.length > 0) this.port.post({ type: 'append', section: id, bytes: new TextEncoder().encode(text) });
    this.port.post({ type: 'end', section: id });
  }

  private addProblem(id: string, text: string): void {
    this.problems.value = new Map([...this.problems.value, [id, text]]);
  }

  private receive(reply: LogReply): void {
    switch (reply.type) {
      case 'rows':
        this.count.value = reply.count;
        this.lines.value = reply.lines;
        this.window.value = { first: reply.first, rows: reply.rows };
        break;
      case 'matches':
        this.matches.value = reply.matches;
        this.total.value = reply.total;
        this.searchError.value = reply.error;
        break;
      case 'located':
        this.located.value = reply.row;
        break;
      case 'text':
        this.onText?.(reply.parts);
        break;
    }
  }
}

/** The log of a TaskRun as Tekton Results keeps it, by step: every line behind the name of its step. */
async function readArchivedLog(tools: ToolApi, namespace: string, log: string): Promise<ReadonlyMap<string, string>> {
  const { text, isCut } = await tools.call('archived-log', { namespace, log });
  const lines = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const [, step = '', line = ''] of text.matchAll(/^\[([^\]\n]+)\] ?(.*)$/gm)) {
    last = lines.get(step) ?? [];
    lines.set(step, last);
    last.push(line);
  }
  if (isCut) last?.push('The rest is too long for this page: tektite logs shows it.');
  return new Map([...lines].map(([step, each]) => [step, `${each.join('\n')}\n`]));
}
