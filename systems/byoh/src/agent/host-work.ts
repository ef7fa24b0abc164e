import { isIP } from 'node:net';
import { type Client, kinds } from '@tektite/client';
import type { EventText } from '@tektite/controller/events';
import type { ConditionText } from '../kinds/cluster-condition.ts';
import { bootstrapCondition, installationCondition } from '../kinds/host-conditions.ts';
import type { ObjectReference } from '../kinds/object-reference.ts';
import { endpointAnnotation } from '../wire-names.ts';
import type { AgentState, StateFile } from './agent-state.ts';
import { restoreFiles } from './file-scripts.ts';
import {
  clearFolders,
  needsReset,
  notNeeded,
  removeAddress,
  removeSentinel,
  resetNode,
  restoreFolders,
} from './host-commands.ts';
import type { HostRecord } from './host-record.ts';
import { releasedHost, withoutMachine } from './released-host.ts';
import { runCloudConfig } from './run-cloud-config.ts';
import type { HostFacts } from './sandbox/sandbox.ts';
import { failureOf, type RunnerOptions, ScriptRunner } from './script-runner.ts';

export interface WorkOptions extends RunnerOptions {
  readonly client: Client;
  readonly facts: HostFacts;
  readonly state: StateFile;
  readonly skipInstallation: boolean;
}

/** A step of the work on a host that did not succeed. What the host's conditions say is written already. */
export class HostWorkError extends Error {
  override readonly name = 'HostWorkError';
}

/**
 * The work of an agent on its host. Each step is recorded in the local state before and after it, and in the API, so
 * that a new process continues where an old one was killed.
 */
export class HostWork {
  private readonly options: WorkOptions;
  private readonly record: HostRecord;
  private readonly event: (event: EventText) => void;
  private readonly runner: ScriptRunner;

  constructor(options: WorkOptions, record: HostRecord, event: (event: EventText) => void, signal: AbortSignal) {
    this.options = options;
    this.record = record;
    this.event = event;
    this.runner = new ScriptRunner(options, signal);
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
      this.event({
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
    const failure = await this.runner.runInstaller('install', install);
    if (failure !== undefined) {
      // The partial installation is undone: a waiting host is a clean host.
      const undone = uninstall.trim() === '' ? undefined : await this.runner.runInstaller('uninstall', uninstall);
      if (undone === undefined) await this.options.state.clear();
      return fail(undone === undefined ? failure : `${failure}; and it could not be undone: ${undone}`);
    }
    await this.options.state.write({ ...state, install: 'done' });
    this.event({ reason: 'InstallScriptExecutionSucceeded', message: 'Install script executed successfully' });
    await this.record.mark({ type: installationCondition, status: 'True' });
  }

  private async clean(): Promise<void> {
    const { exitCode, tail } = await this.runner.run('clean', clearFolders);
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
    const { facts, log } = this.options;
    const failure = await runCloudConfig(this.runner, value, facts, log).catch((error: unknown) => {
      // A stopped agent has not failed.
      this.runner.signal.throwIfAborted();
      return (error as Error).message;
    });
    if (failure !== undefined) {
      this.event({ type: 'Warning', reason: 'BootstrapK8sNodeFailed', message: 'k8s Node Bootstrap failed' });
      await this.reset();
      await this.record.mark(failed(bootstrapCondition, 'CloudInitExecutionFailed', failure));
      throw new HostWorkError(`bootstrap: ${failure}`);
    }
    await this.options.state.write({ ...(await this.options.state.read()), bootstrap: 'done' });
    this.event({ reason: 'BootstrapK8sNodeSucceeded', message: 'k8s Node Bootstraped' });
    await this.record.mark({ type: bootstrapCondition, status: 'True' });
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
      const failure = await this.reset();
      if (failure !== undefined) {
        await record.mark(failed(bootstrapCondition, 'ResetK8sNodeFailed', failure));
        throw new HostWorkError(`reset: ${failure}`);
      }
      await note({ reset: true });
    }
    const script = state.uninstallScript ?? record.current.spec?.uninstallationScript ?? '';
    if (!state.cleanup?.uninstalled && !options.skipInstallation && script.trim() !== '') {
      const failure = await this.runner.runInstaller('uninstall', script);
      if (failure !== undefined) {
        this.event({
          type: 'Warning',
          reason: 'UninstallScriptExecutionFailed',
          message: 'Uninstall script execution failed',
        });
        await record.mark(failed(installationCondition, 'K8sComponentsUninstallationFailed', failure));
        throw new HostWorkError(`uninstall: ${failure}`);
      }
      await note({ uninstalled: true });
    }
    const kept =
      failureOf('bringing back files', await this.runner.run('restore-files', restoreFiles)) ??
      failureOf('bringing back networks of containers', await this.runner.run('restore', restoreFolders));
    if (kept !== undefined) {
      await record.mark(failed(bootstrapCondition, 'CleanK8sDirectoriesFailed', kept));
      throw new HostWorkError(kept);
    }
    await this.runner.run('sentinel', removeSentinel);
    const address = record.current.metadata.annotations?.[endpointAnnotation] ?? '';
    const { defaultInterface } = options.facts;
    if (isIP(address) !== 0 && defaultInterface !== undefined)
      await this.runner.run('address', removeAddress(address, defaultInterface));
    await record.mark(absent(installationCondition), absent(bootstrapCondition));
    await record.change(withoutMachine);
    // Nothing is remembered of the last machine when the next one may come.
    await options.state.clear();
    await record.change(releasedHost);
  }

  /** Returns the error, or undefined; also when there was nothing to reset. */
  private async reset(): Promise<string | undefined> {
    const { exitCode } = await this.runner.run('needs-reset', needsReset);
    if (exitCode === notNeeded) return undefined;
    const failure = failureOf('kubeadm reset', await this.runner.run('reset', resetNode));
    this.event(
      failure === undefined
        ? { reason: 'ResetK8sNodeSucceeded', message: 'k8s Node Reset completed' }
        : { type: 'Warning', reason: 'ResetK8sNodeFailed', message: 'k8s Node Reset failed' },
    );
    return failure;
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
      this.event({
        type: 'Warning',
        reason,
        message: `the Secret ${namespace}/${name} cannot be read: ${(error as Error).message}`,
      });
      throw error;
    }
  }
}

function failed(type: string, reason: string, message: string): ConditionText {
  return { type, status: 'False', reason, severity: 'Error', message: message.slice(0, 2000) };
}

function absent(type: string): ConditionText {
  return { type, status: 'False', reason: 'K8sNodeAbsent', severity: 'Info', message: 'this host was cleaned up' };
}
