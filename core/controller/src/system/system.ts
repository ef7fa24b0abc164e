import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Logger } from '../logger.ts';
import type { Kind } from '@tektite/schema';
import type { PolicyRule } from '@tektite/schema/kubernetes';
import type { ControllerDefinition } from '../reconcile/controller-definition.ts';
import type { AdmissionWebhook } from '../webhook/admission-webhook.ts';
import type { ConversionWebhook } from '../webhook/conversion-webhook.ts';

/**
 * A system: everything that makes a set of kinds work. A value without state, so that it can be run on a cluster, run on
 * the embedded control plane, printed as manifests, or tested. See `examples/memcached-operator`.
 *
 * @example
 * export const memcachedSystem: System = {
 *   name: 'memcached',
 *   kinds: [Memcached],
 *   controllers: [memcachedController],
 *   webhooks: memcachedWebhooks,
 * };
 */
export interface System {
  readonly name: string;
  /** The kinds it defines, all their versions; the first of a group and kind is the one that is stored. */
  readonly kinds: readonly Kind[];
  readonly controllers: readonly ControllerDefinition[];
  readonly webhooks?: readonly (AdmissionWebhook | ConversionWebhook)[];
  /** Objects it comes with, such as ConfigMaps with its settings. */
  readonly objects?: readonly KubeObject[];
  /** Permissions beyond those for the watched kinds. See `clusterRoleFor`. */
  readonly permissions?: readonly PolicyRule[];
  /**
   * Makes a copy that lives: whose controllers and webhooks follow settings of the cluster. What is above is then for those
   * who print or install the system. Called after its kinds and objects are installed.
   */
  configure?(services: SystemServices): Promise<ConfiguredSystem>;
}

/** The services that a system gets to follow the cluster. */
export interface SystemServices {
  readonly client: Client;
  readonly log: Logger;
}

/** A system with its settings; `stop` ends what follows them. */
export interface ConfiguredSystem {
  readonly system: Pick<System, 'controllers' | 'webhooks'>;
  stop(): Promise<void>;
}
