import { runtimeNames as namesOfCluster } from '@tektite/cluster';

/** The Pod runtimes. With `none`, Pods stay pending until another node registers. */
export const runtimeNames = [...namesOfCluster, 'none'] as const;
export type RuntimeName = (typeof runtimeNames)[number];
