import type { Client } from '@tektite/client';
import type { Clock, Random } from '@tektite/meta';
import type { EnvironmentContext } from '../env/environment.ts';
import type { ImageService } from '../images/image-service.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { Network } from '../runtime/network.ts';
import type { PodRuntime } from '../runtime/pod-runtime.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import type { TokenSource } from '../volumes/service-account-token.ts';
import type { ClusterDns } from './resolver-file.ts';
import type { EventSink } from './event-sink.ts';
import type { NodeAllocations } from './node-allocations.ts';
import type { ReferencedObjects } from './referenced-objects.ts';

/** The dependencies that the workers of all Pods share. */
export interface AgentParts {
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly runtime: PodRuntime;
  /** For runtimes that use images. */
  readonly images?: ImageService;
  readonly events: EventSink;
  readonly allocations: NodeAllocations;
  readonly volumes: PodVolumes;
  readonly tokens: TokenSource;
  readonly references: ReferencedObjects;
  readonly logs: LogStore;
  readonly environment: EnvironmentContext;
  /** The service variables of Pods in the network of the machine. */
  readonly machineVariables: ReadonlyMap<string, string>;
  /** How probes and hooks reach Pods. */
  readonly network: Network;
  /** The name server of Pods, where there is one. */
  readonly dns?: ClusterDns;
  /** The folders of Pods are in here, by uid. */
  readonly podsDirectory: string;
  /** Called with errors that will be retried. */
  readonly onError: (error: Error) => void;
}
