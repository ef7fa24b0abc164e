import { kinds } from '@tektite/client';
import { type Channel, type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { type InstallerConfig, installerGateOf } from '../../installer/decide-installer.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import type { InstallerStatus } from '../../kinds/k8s-installer-config.ts';
import { decideScripts, type ScriptGenerator } from './decide.ts';
import { observeInstaller, observeNames } from './observe.ts';

export interface InstallerOptions<T extends KubeObject> extends ScriptGenerator<T> {
  /** For logs, metrics and Leases. */
  readonly name: string;
  readonly kind: Kind<T>;
  /** Keeps configs until this controller has seen that they go. */
  readonly finalizer?: string;
  /** Enqueues all configs, when a dependency of `generate` changed. */
  readonly nudges?: Channel;
}

/**
 * A controller that follows the installer contract: gives each config a Secret with an install and an uninstall script,
 * once its machine waits for them. Other installers can be built with it, see `examples/echo-installer`.
 */
export function installerController<T extends KubeObject>(options: InstallerOptions<T>): ControllerDefinition {
  const machines = mapped(ByoMachine, ({ metadata }) => [cacheKey(metadata)]);
  const { finalizer } = options;
  return defineController<T>({
    name: options.name,
    kind: options.kind,
    sources: [machines, ...(options.nudges ? [options.nudges] : [])],
    // The Secret goes with the config, which owns it.
    ...(finalizer === undefined ? {} : { finalizer: { name: finalizer, cleanup: () => undefined } }),
    async reconcile(object, context) {
      const config: T & InstallerConfig = object;
      const { client, namespace = '', log, writeStatus } = context;
      const find = (name: string) => context.cache(machines).get(cacheKey({ namespace, name }));
      const gate = installerGateOf(await observeInstaller(config, context, find));
      if (gate.type === 'wait') return log.debug('waits', { why: gate.why });
      if (gate.type === 'retry') throw new Error(gate.error);
      const put = (status: InstallerStatus) => writeStatus(config, status as never);
      const plan = decideScripts(options, config, gate.machine, await observeNames(config, gate.machine, context));
      if (plan.type === 'failed') {
        const { failureReason, failureMessage } = plan;
        log.warn('cannot make scripts', { failureReason, failureMessage });
        await put({ ...config.status, ready: false, failureReason, failureMessage });
        return;
      }
      if (plan.type === 'create') await client.create(kinds.Secret, plan.secret);
      else if (plan.type === 'update') await client.update(kinds.Secret, plan.secret);
      await put({ installationSecret: { kind: 'Secret', apiVersion: 'v1', namespace, name: plan.name }, ready: true });
    },
  });
}
