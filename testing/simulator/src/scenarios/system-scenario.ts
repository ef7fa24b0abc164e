import { startSystems, type System } from '@tektite/controller';
import type { Scenario } from '../run/scenario.ts';
import { addBuiltInControllers, type BuiltInOptions } from '../world/built-in-controllers.ts';
import type { ProcessContext } from '../world/component.ts';
import type { World } from '../world/world.ts';
import { recordingLogger } from './recording-logger.ts';

export interface SystemScenarioOptions extends Omit<Scenario, 'start' | 'prepare' | 'hasServiceAccounts'> {
  /** Made anew for each incarnation: what a process remembers dies with it. */
  readonly systems: () => readonly System[];
  /** The name of its process. Default: the name of its first system. */
  readonly component?: string;
  /** Processes of the systems. More than one share the work by leader election. Default 1. */
  readonly replicas?: number;
  /** Runs when the cluster is up, before the systems start. */
  prepare?(world: World): Promise<void>;
  readonly builtIn?: BuiltInOptions;
}

const service = { namespace: 'default', name: 'simulated-webhook' };

/**
 * A scenario of systems on a whole cluster: built-in controllers and nodes, the systems with their webhooks, as `tektite up` runs them;
 * all of them crash and restart.
 */
export function systemScenario(options: SystemScenarioOptions): Scenario {
  const { systems, component, replicas = 1, prepare, builtIn = {}, restless = [], ...rest } = options;
  const { nodes = ['node-1'] } = builtIn;
  return {
    ...rest,
    hasServiceAccounts: true,
    restless: [...restless, ...nodes],
    async prepare(world) {
      await addBuiltInControllers(world, builtIn);
      await prepare?.(world);
      const name = component ?? systems()[0]?.name ?? 'system';
      const processes = Array.from({ length: replicas }, (_, index) => (replicas === 1 ? name : `${name}-${index}`));
      await Promise.all(
        processes.map((process) =>
          world.component(process, (client, context) =>
            startProcess(world, systems(), { client, name, process, isShared: replicas > 1, ...context }),
          ),
        ),
      );
    },
  };
}

interface SystemProcess extends ProcessContext {
  readonly client: Parameters<typeof startSystems>[1]['client'];
  readonly name: string;
  readonly process: string;
  readonly isShared: boolean;
}

async function startProcess(world: World, systems: readonly System[], options: SystemProcess): Promise<void> {
  const { client, name, process, webhooks: host, isShared, incarnation } = options;
  await startSystems(systems, {
    client,
    name,
    graceMs: 0,
    log: recordingLogger(world, process),
    define: (definition) => world.plane.server.define(definition),
    webhooks: { host, service },
    ...(isShared ? { election: { namespace: 'default', buckets: 1, identity: `${process}-${incarnation}` } } : {}),
  });
}
