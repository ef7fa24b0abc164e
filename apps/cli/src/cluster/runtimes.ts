/** The Pod runtimes. With `none`, Pods stay pending until another node registers. */
export const runtimeNames = ['host', 'podman', 'simulated', 'none'] as const;
export type RuntimeName = (typeof runtimeNames)[number];
