/** What can run Pods. `none`: nobody, so they wait for a node that somebody else brings. */
export const runtimeNames = ['host', 'podman', 'simulated', 'none'] as const;
export type RuntimeName = (typeof runtimeNames)[number];
