import type { KubeObject } from '@tektite/meta';
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
  /** What its controllers need besides what they watch. See `clusterRoleFor`. */
  readonly permissions?: readonly PolicyRule[];
}
