import { isIP } from 'node:net';
import { type Client, kinds } from '@tektite/client';
import type { EventText, Logger } from '@tektite/controller';
import type { ConditionText } from '../kinds/cluster-condition.ts';
import { bootstrapCondition, installationCondition } from '../kinds/host-conditions.ts';
import type { ObjectReference } from '../kinds/object-reference.ts';
import { renderTemplate } from '../installer/script-template.ts';
import { endpointAnnotation, sentinelFile } from '../wire-names.ts';
import type { AgentState, StateFile } from './agent-state.ts';
import { type CloudConfig, readCloudConfig } from './cloud-config.ts';
import {
  clearFolders,
  hasSentinel,
  needsReset,
  notNeeded,
  removeAddress,
  removeSentinel,
  resetNode,
  restoreFolders,
  writeFile,
} from './host-commands.ts';
import type { HostRecord } from './host-record.ts';
import type { ScriptMetrics } from './script-metrics.ts';
import { releasedHost, withoutMachine } from './released-host.ts';
import type { HostFacts, Sandbox } from './sandbox/sandbox.ts';

export interface WorkOptions {
  readonly client: Client;
  readonly sandbox: Sandbox;
  readonly facts: HostFacts;
  readonly state: StateFile;
  readonly downloadPath: string;
  readonly skipInstallation: boolean;
  /** How long a script may take. */
  readonly timeoutMs: number;
  readonly metrics: ScriptMetrics;
  readonly log: Logger;
}

/** A step of the work on a host that did not succeed. What the host's conditions say is written already. */
export class HostWorkError extends Error {
  override readonly name = 'HostWorkError';
}

/**
 * What an agent does on its host. Each step is noted in the local state before and after it, and in the API, so that a new
 * process goes on where an old one was killed.
 */
export class HostWork {
  private readonly options: WorkOptions;
  private readonly record: HostRecord;
  private readonly tell: (event: EventText) => void;
  private readonly signal: AbortSignal;

  constructor(options: WorkOptions, record: HostRecord, tell: (event: EventText) => void, signal: AbortSignal) {
    this.options = options;
    this.record = record;
    this.tell = tell;
    this.signal = signal;
  }

  /** From a host that has a machine to a node. */
  async provision(installs: boolean): Promise<void> {
    const { spec } = this.record.current;
    const bootstrap = await this.readSecret(spec?.bootstrapSecret, 'ReadBootstrapSecretFailed');
    const value = bootstrap['value'];
    if (installs) await this.install();
    else if (!this.options.skipInstallation) await this.record.mark({ type: installationCondition, status: 'True' });
    await this.clean();
    await this.bootstrap(value ?? '');
  }

  private async install(): Promise<void> {
    const { current } = this.record;
    const { install = '', uninstall = '' } = await this.readSecret(
      current.spec?.installationSecret,
      'ReadInstallationSecretFailed',
    );
    const fail = async (message: string): Promise<never> => {
      await this.record.mark(failed(installationCondition, 'K8sComponentsInstallationFailed', message));
      this.tell({
        type: 'Warning',
        reason: 'InstallScriptExecutionFailed',
        message: 'Install script execution failed',
      });
      throw new HostWorkError(`install: ${message}`);
    };
    if (install.trim() === '') return fail('the installation Secret has no install script');
    if (uninstall.trim() === '') this.options.log.warn('the installation Secret has no uninstall script');
    // The way back is known here and in the API before the first step forward.
    const state: AgentState = {
      machine: current.status?.machineRef?.uid ?? '',
      install: 'started',
      uninstallScript: uninstall,
    };
    await this.options.state.write(state);
    await this.record.change((host) => ({ ...host, spec: { ...host.spec, uninstallationScript: uninstall } }));
    await this.record.mark({
      type: installationCondition,
      status: 'False',
      reason: 'K8sComponentsInstalling',
      severity: 'Info',
      message: 'the install script runs',
    });
    const complaint = await this.runScript('install', install);
    if (complaint !== undefined) {
      // What it has done so far is undone: a host that waits is a clean host.
      const undone = uninstall.trim() === '' ? undefined : await this.runScript('uninstall', uninstall);
      if (undone === undefined) await this.options.state.clear();
      return fail(undone === undefined ? complaint : `${complaint}; and it could not be undone: ${undone}`);
    }
    await this.options.state.write({ ...state, install: 'done' });
    this.tell({ reason: 'InstallScriptExecutionSucceeded', message: 'Install script executed successfully' });
    await this.record.mark({ type: installationCondition, status: 'True' });
  }

  private async clean(): Promise<void> {
    const { exitCode, tail } = await this.run('clean', clearFolders);
    if (exitCode === 0) return;
    await this.record.mark(failed(bootstrapCondition, 'CleanK8sDirectoriesFailed', tail));
    throw new HostWorkError(`clean: ${tail}`);
  }

  private async bootstrap(value: string): Promise<void> {
    const state = await this.options.state.read();
    await this.options.state.write({
      ...state,
      machine: this.record.current.status?.machineRef?.uid ?? '',
      bootstrap: 'started',
    });
    const complaint = await this.runCloudConfig(value).catch((error: unknown) => (error as Error).message);
    if (complaint !== undefined) {
      this.tell({ type: 'Warning', reason: 'BootstrapK8sNodeFailed', message: 'k8s Node Bootstrap failed' });
      await this.reset();
      await this.record.mark(failed(bootstrapCondition, 'CloudInitExecutionFailed', complaint));
      throw new HostWorkError(`bootstrap: ${complaint}`);
    }
    await this.options.state.write({ ...(await this.options.state.read()), bootstrap: 'done' });
    this.tell({ reason: 'BootstrapK8sNodeSucceeded', message: 'k8s Node Bootstraped' });
    await this.record.mark({ type: bootstrapCondition, status: 'True' });
  }

  /** What is wrong, or undefined. */
  private async runCloudConfig(value: string): Promise<string | undefined> {
    if (value.trim() === '') return 'the bootstrap Secret has no value';
    const config = readCloudConfig(value);
    if (config.ignored.length > 0)
      this.options.log.warn('parts of the cloud-config have no effect here', { parts: config.ignored });
    const complaint = (await this.writeFiles(config)) ?? (await this.runCommands(config));
    if (complaint !== undefined || !value.includes(sentinelFile)) return complaint;
    const { exitCode } = await this.run('sentinel', hasSentinel);
    return exitCode === 0 ? undefined : `the commands ended well, but ${sentinelFile} is not there`;
  }

  private async writeFiles({ files }: CloudConfig): Promise<string | undefined> {
    const { defaultInterface } = this.options.facts;
    const values: Readonly<Record<string, string>> =
      defaultInterface === undefined ? {} : { DefaultNetworkInterfaceName: defaultInterface };
    for (const file of files) {
      let { content } = file;
      if (content.includes('{{')) content = Buffer.from(renderTemplate(content.toString('utf8'), values));
      const { exitCode, tail } = await this.run('write-file', writeFile(file), content);
      if (exitCode !== 0) return `${file.path} cannot be written: ${tail}`;
    }
    return undefined;
  }

  private async runCommands({ commands }: CloudConfig): Promise<string | undefined> {
    for (const [index, command] of commands.entries()) {
      const { exitCode, tail } = await this.run('bootstrap', `${command}\n`);
      if (exitCode !== 0) return `runcmd[${index}] ended with exit code ${exitCode}: ${tail}`;
    }
    return undefined;
  }

  /** From a node, or whatever became of it, back to a clean host. Each part is done once, also over restarts. */
  async cleanUp(): Promise<void> {
    const { options, record } = this;
    let state = await options.state.read();
    const note = async (done: NonNullable<AgentState['cleanup']>) => {
      state = { ...state, cleanup: { ...state.cleanup, ...done } };
      await options.state.write(state);
    };
    if (!state.cleanup?.reset) {
      const complaint = await this.reset();
      if (complaint !== undefined) {
        await record.mark(failed(bootstrapCondition, 'ResetK8sNodeFailed', complaint));
        throw new HostWorkError(`reset: ${complaint}`);
      }
      await note({ reset: true });
    }
    const script = state.uninstallScript ?? record.current.spec?.uninstallationScript ?? '';
    if (!state.cleanup?.uninstalled && !options.skipInstallation && script.trim() !== '') {
      const complaint = await this.runScript('uninstall', script);
      if (complaint !== undefined) {
        this.tell({
          type: 'Warning',
          reason: 'UninstallScriptExecutionFailed',
          message: 'Uninstall script execution failed',
        });
        await record.mark(failed(installationCondition, 'K8sComponentsUninstallationFailed', complaint));
        throw new HostWorkError(`uninstall: ${complaint}`);
      }
      await note({ uninstalled: true });
    }
    await this.run('restore', restoreFolders);
    await this.run('sentinel', removeSentinel);
    const address = record.current.metadata.annotations?.[endpointAnnotation] ?? '';
    const { defaultInterface } = options.facts;
    if (isIP(address) !== 0 && defaultInterface !== undefined)
      await this.run('address', removeAddress(address, defaultInterface));
    await record.mark(absent(installationCondition), absent(bootstrapCondition));
    await record.change(withoutMachine);
    // Nothing is remembered of the last machine when the next one may come.
    await options.state.clear();
    await record.change(releasedHost);
  }

  /** What is wrong, or undefined; also when there was nothing to reset. */
  private async reset(): Promise<string | undefined> {
    const { exitCode } = await this.run('needs-reset', needsReset);
    if (exitCode === notNeeded) return undefined;
    const result = await this.run('reset', resetNode);
    const isDone = result.exitCode === 0;
    this.tell(
      isDone
        ? { reason: 'ResetK8sNodeSucceeded', message: 'k8s Node Reset completed' }
        : { type: 'Warning', reason: 'ResetK8sNodeFailed', message: 'k8s Node Reset failed' },
    );
    return isDone ? undefined : describe('kubeadm reset', result.exitCode, result.tail);
  }

  /** Runs a script of the installer, with the variables that agents fill in. Answers what is wrong, or undefined. */
  private async runScript(phase: 'install' | 'uninstall', script: string): Promise<string | undefined> {
    let rendered: string;
    try {
      rendered = renderTemplate(script, { BundleDownloadPath: this.options.downloadPath });
    } catch (error) {
      return `the ${phase} script cannot be used: ${(error as Error).message}`;
    }
    const { exitCode, tail } = await this.run(phase, rendered);
    return exitCode === 0 ? undefined : describe(`the ${phase} script`, exitCode, tail);
  }

  private async run(phase: string, script: string, input?: Uint8Array) {
    const { sandbox, timeoutMs, metrics, log } = this.options;
    log.debug('runs', { phase });
    const end = metrics.begin(phase);
    const outcome = await sandbox.run(script, {
      name: phase,
      timeoutMs,
      signal: this.signal,
      ...(input ? { input } : {}),
    });
    end(outcome.exitCode === 0);
    this.signal.throwIfAborted();
    return outcome;
  }

  private async readSecret(
    reference: ObjectReference | undefined,
    reason: string,
  ): Promise<Readonly<Record<string, string>>> {
    const { name = '', namespace = '' } = reference ?? {};
    try {
      const { data = {} } = await this.options.client.get(kinds.Secret, { namespace, name });
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
      );
    } catch (error) {
      this.tell({
        type: 'Warning',
        reason,
        message: `the Secret ${namespace}/${name} cannot be read: ${(error as Error).message}`,
      });
      throw error;
    }
  }
}

const mostLines = 6;

function describe(what: string, exitCode: number, tail: string): string {
  const lines = tail.trim().split('\n').slice(-mostLines);
  return `${what} ended with exit code ${exitCode}: ${lines.join('\n')}`;
}

function failed(type: string, reason: string, message: string): ConditionText {
  return { type, status: 'False', reason, severity: 'Error', message: message.slice(0, 2000) };
}

function absent(type: string): ConditionText {
  return { type, status: 'False', reason: 'K8sNodeAbsent', severity: 'Info', message: 'this host was cleaned up' };
}
