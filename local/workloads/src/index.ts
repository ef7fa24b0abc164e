/** The built-in controllers: scheduling, workloads, garbage collection, volumes, endpoints. */
export { ComponentEvents, type RecordEvent } from './component-events.ts';
export { type RunningWorkloads, startWorkloads } from './start-workloads.ts';
export type { WorkloadsOptions } from './workloads-options.ts';
export { workloadsSystem } from './workloads-system.ts';
export { provisioner as folderProvisioner, type StorageOptions } from './volumes/storage-options.ts';
export type { CertificateHooks, SigningRequest } from './certificates/csr-controller.ts';
