/** Bring your own host: hosts become nodes, and hosts again, by contract. */

// The system
export { type ByohOptions, byohSystem } from './system.ts';

// For those who write an installer
export { installerController, type InstallerOptions } from './controllers/k8s-installer-config/controller.ts';
export type { Generated } from './installer/k8s-scripts.ts';
export { shellQuote } from './installer/shell-quote.ts';
export { type CheckReport, runConformance } from './conformance/run-conformance.ts';
export { kindOfTemplate } from './machine/clone-template.ts';

// The agent of a host
export { AgentIdentity } from './agent/identity/agent-identity.ts';
export { BundleDesk } from './agent/bundle/bundle-desk.ts';
export { dryRunSandbox, type TracedScript } from './agent/sandbox/dry-run-sandbox.ts';
export { hostSandbox } from './agent/sandbox/host-sandbox.ts';
export { insideFolder, overlayProblem, overlaySandbox } from './agent/sandbox/overlay-sandbox.ts';
export { readFacts } from './agent/sandbox/read-facts.ts';
export type { Sandbox } from './agent/sandbox/sandbox.ts';
export { ScriptMetrics } from './agent/script-metrics.ts';
export { startAgent } from './agent/start-agent.ts';

// Bundles
export { buildBundle, BundleError, bundleErrors, type BundleRequest, isBundleError } from './bundle/build-bundle.ts';
export type { BundleTarget } from './bundle/choose-files.ts';

// Explanations
export { explainMachine } from './explain/explain-machine.ts';
export { observeMachine } from './explain/observe-machine.ts';

// Its kinds, and those of Cluster API as far as they are used
export { ByoCluster } from './kinds/byo-cluster.ts';
export { ByoHost } from './kinds/byo-host.ts';
export { ByoMachine } from './kinds/byo-machine.ts';
export { Cluster, Machine } from './kinds/cluster-api.ts';
export { K8sInstallerConfigTemplate } from './kinds/k8s-installer-config.ts';
