import type { ApiServerOptions, RunningHttpServer, ApiServer, Storage } from '@tektite/apiserver';
import type { KeyPair } from '@tektite/certificates';
import type { Transport } from '@tektite/client';
import type { Logger, System, SystemsOptions } from '@tektite/controller';
import type { Clock, Random } from '@tektite/meta';
import type { ImageMapping, NodeOptions, PodRuntime } from '@tektite/node';
import type { PullProgress, RegistrySettings } from '@tektite/oci';

/** The runtimes that a cluster opens by name. */
export const runtimeNames = ['auto', 'images', 'host', 'podman', 'simulated'] as const;
export type RuntimeName = (typeof runtimeNames)[number];

/** The networks of Pods, by name. */
export const networkNames = ['auto', 'pods', 'host'] as const;
export type NetworkName = (typeof networkNames)[number];

export interface ClusterOptions {
  /**
   * The objects. Default: in memory, for a cluster that ends with its process. With a storage of the caller's, which is not closed
   * here, history is compacted, and the webhooks of systems that no longer run are removed first.
   */
  readonly storage?: Storage;
  /** An absolute path for volumes, logs and the data of the node. Default: a temporary folder, removed when the cluster is closed. */
  readonly folder?: string;
  /** Further options of the API server. */
  readonly server?: Omit<ApiServerOptions, 'clock' | 'random'>;
  /** The address of the API. Default: a free port of 127.0.0.1, opened for the node or by the first call of `https`. */
  readonly https?: HttpsAddress;
  /** The certificates of the API. They may change while the cluster runs. Default: new ones. */
  readonly certificates?: ClusterCertificates;
  /** Run the built-in controllers: workloads, garbage collection, service accounts, volumes. Default yes. */
  readonly controllers?: boolean;
  /** This machine as the node of the cluster. Without it, Pods wait for a node from elsewhere. */
  readonly node?: ClusterNode;
  /** The systems to run on it, in this process. */
  readonly systems?: readonly System[];
  readonly systemsOptions?: ClusterSystemsOptions;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Failures that are retried. */
  readonly log?: Logger;
  /** Called with each fact that users should know and that is no failure. */
  readonly onNotice?: (text: string) => void;
  /** Called when the API is served, before controllers, node and systems start. */
  readonly onServing?: (api: ServedApi) => Promise<void>;
}

export interface HttpsAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The address at which other machines reach it, in the endpoints of the Service `kubernetes`. Default: `host`. */
  readonly advertise?: string;
  readonly maxInflightBytes?: number;
}

export interface ClusterCertificates {
  /** The authority that signs. */
  readonly authority: KeyPair;
  /** The certificates of all trusted authorities. */
  readonly bundle: string;
  readonly server: KeyPair;
}

export interface ClusterNode extends Pick<NodeOptions, 'name' | 'maxPods' | 'labels' | 'taints'> {
  readonly runtime: RuntimeName | PodRuntime;
  /**
   * The network of Pods: a network of their own (`pods`), the machine's (`host`), or their own where that works and reaches other networks
   * (`auto`). Default `host`.
   */
  readonly network?: NetworkName;
  /** Give this machine routes to the addresses of Pods and Services. Takes root, and Pods with a network of their own. Default false. */
  readonly routes?: boolean;
  /** The folder of the image store, for runtimes that use it. Default: `~/.cache/tektite/images`. */
  readonly imageStore?: string;
  /** How registries of images are reached: mirrors, and those that may speak plain HTTP. */
  readonly registries?: RegistrySettings;
  /** Called with the bytes of pulls as they come. */
  readonly onPull?: (progress: PullProgress) => void;
  /** Images that stand for others where Pods are processes of this machine. A function is given the data folder of the node. */
  readonly images?: ImageMapping | ((dataDir: string) => Promise<ImageMapping>);
  /** Images that only name programs of this machine. */
  readonly ownImages?: readonly string[];
  /** Serve the addresses of Services on this machine. Default yes. */
  readonly serviceProxy?: boolean;
}

export interface ClusterSystemsOptions extends Partial<Omit<SystemsOptions, 'client' | 'webhooks'>> {
  /** Wraps the transport of the systems, to observe it. */
  readonly observe?: (transport: Transport) => Transport;
}

/** The API of a cluster, served over HTTPS. */
export interface ServedApi {
  readonly server: ApiServer;
  readonly http: RunningHttpServer;
  readonly host: string;
  readonly port: number;
  readonly certificates: ClusterCertificates;
}
