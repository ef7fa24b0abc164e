/** Runs Pods on this machine: the part of a cluster that is a kubelet and a container runtime. */

// The node
export {
  type AttachRequest,
  type NodeLogOptions,
  type NodeOptions,
  type RunningNode,
  startNode,
} from './start-node.ts';
export { removeNodeData } from './remove-node-data.ts';
export { removeTree } from './volumes/remove-tree.ts';
export { ApiEventSink, type EventContent, type EventSink } from './agent/event-sink.ts';
export type { LogLimits } from './logs/container-log.ts';

// Container runtimes
export {
  ContainerStartError,
  isContainerStartError,
  type StartFailureReason,
} from './runtime/container-start-error.ts';
export type * from './runtime/pod-runtime.ts';
export { findCgroups } from './host/cgroup.ts';
export { inspectHost } from './host/host-machine.ts';
export { HostRuntime, type HostRuntimeOptions } from './host/host-runtime.ts';
export { findImage, type ImageMapping, type MappedImage } from './host/image-mapping.ts';
export {
  isRuntimeError,
  RuntimeError,
  type RuntimeErrorCode,
  runtimeErrors,
} from './runtime/runtime-error.ts';
export { PodmanRuntime, type PodmanRuntimeOptions } from './podman/podman-runtime.ts';
export { SimulatedRuntime, type SimulatedRuntimeOptions } from './simulated/simulated-runtime.ts';
export { annotatedSimulation, type Simulation, simulationAnnotation } from './simulated/simulation.ts';

// The network of Pods
export { type PodConnection, PodNetwork, type PodNetworkOptions } from './network/pod-network.ts';
export type { Network } from './runtime/network.ts';
export { DnsServer, type DnsServerOptions } from './dns/dns-server.ts';
export type { ClusterDns } from './agent/resolver-file.ts';

// Addresses of Services
export { ServiceProxy, type ServiceProxyOptions } from './services/service-proxy.ts';
export type { ImageRequest, ImageService } from './images/image-service.ts';
export { MachineImageService, type MachineImageServiceOptions } from './images/machine-image-service.ts';
export { StoreImageService, type StoreImageServiceOptions } from './images/store-image-service.ts';
export { clientObjects, type ObjectSource } from './object-source.ts';
