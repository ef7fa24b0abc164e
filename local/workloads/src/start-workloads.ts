import { Manager } from '@tektite/controller';
import { ComponentEvents } from './component-events.ts';
import { GarbageCollector } from './garbage-collection/garbage-collector.ts';
import { ensureStandardStorageClass } from './volumes/standard-storage-class.ts';
import type { WorkloadsOptions } from './workloads-options.ts';
import { workloadsSystem } from './workloads-system.ts';

/** The controllers at work. */
export interface RunningWorkloads extends AsyncDisposable {
  readonly manager: Manager;
  stop(): Promise<void>;
}

/**
 * Starts the built-in controllers of a cluster. Resolves when the caches have synced.
 *
 * @example await using workloads = await startWorkloads({ client, rootCertificate: authority.certificate });
 */
export async function startWorkloads(options: WorkloadsOptions): Promise<RunningWorkloads> {
  const { client, metadataClient, log } = options;
  const events = new ComponentEvents(client, log);
  const logging = log ? { log } : {};
  const manager = new Manager(client, { name: 'kube-controller-manager', graceMs: 0, ...logging });
  for (const controller of workloadsSystem(options, events).controllers) manager.add(controller);
  const collector = new GarbageCollector({
    client,
    ...(metadataClient ? { metadataClient } : {}),
    record: events.of('garbage-collector-controller'),
    ...logging,
  });
  const stop = async (): Promise<void> => {
    await Promise.all([manager.stop(), collector[Symbol.asyncDispose]()]);
    await events[Symbol.asyncDispose]();
  };
  try {
    if (options.storage) await ensureStandardStorageClass(client);
    collector.start();
    manager.start();
    await manager.synced();
  } catch (error) {
    await stop();
    throw error;
  }
  return { manager, stop, [Symbol.asyncDispose]: stop };
}
