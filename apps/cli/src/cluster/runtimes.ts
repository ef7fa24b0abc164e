import { type NetworkName, networkNames, runtimeNames as namesOfCluster } from '@tektite/cluster';
import { UserError } from '../user-error.ts';

/** The Pod runtimes. With `none`, Pods stay pending until another node registers. */
export const runtimeNames = [...namesOfCluster, 'none'] as const;
export type RuntimeName = (typeof runtimeNames)[number];

/** The runtimes of one-shot clusters: those that have Tekton's own images. */
export const stepRuntimeNames = ['auto', 'images', 'host', 'simulated'] as const;

/** Whether steps of Tasks are run by programs of this machine, or in containers that it makes. */
export function runsSteps(runtime: RuntimeName): boolean {
  return runtime === 'auto' || runtime === 'images' || runtime === 'host';
}

/** The value of --runtime. */
export function readRuntime<T extends RuntimeName>(text: string, names: readonly T[]): T {
  const name = names.find((each) => each === text);
  if (!name) throw new UserError(`--runtime must be one of ${names.join(', ')}, not ${JSON.stringify(text)}`);
  return name;
}

/** The value of --network. */
export function readNetwork(text: string): NetworkName {
  const name = networkNames.find((each) => each === text);
  if (!name) throw new UserError(`--network must be one of ${networkNames.join(', ')}, not ${JSON.stringify(text)}`);
  return name;
}
