import type { Client } from '@tektite/client';
import type { Manifest, Transform } from '@tektite/manifest';
import type { Kind } from '@tektite/schema';
import type { NetworkPolicy } from '@tektite/schema/kubernetes';
import type { WantedSets } from '../installer-set/wanted-sets.ts';
import type { TektonInstallerSet } from '../kinds/kinds.ts';
import type { OperatorServices } from '../extension/operator-services.ts';
import type { ComponentObject } from './component-object.ts';
import type { ObservedComponent } from './observed-component.ts';
import type { Platform } from '../platform/platform.ts';

/** The dependencies of a component. */
export interface DependencyRule {
  /** In words for `DependenciesInstalled`, before the colon: `Dependency installing`. */
  readonly installing: string;
  readonly missing: string;
  /** The name of Pipelines in the message. */
  readonly pipelineName: 'tekton-pipelines' | 'TektonPipeline';
  /** Pipelines has to be in the same namespace. */
  readonly sameNamespace?: boolean;
  /** Triggers have to be there too. */
  readonly triggers?: boolean;
  /** APIs that have to be installed beforehand: `kueue.x-k8s.io/v1beta1`. */
  readonly apis?: readonly string[];
}

/** Sets of a component, and what is asked of them. */
export interface PlannedSets {
  readonly wanted: WantedSets;
  /** The conditions while they are created. */
  readonly missing?: string;
  /** Whether the component is not ready when they are not. Default yes. */
  readonly decides?: boolean;
}

/**
 * One component: what it is called, where its release is, what becomes of it. The frame that all share is
 * `componentController`.
 */
export interface ComponentDescription<T extends ComponentObject> {
  readonly kind: Kind<T>;
  /** Its only object. */
  readonly name: string;
  /** The words for an object with another name. Default upstream's usual ones. */
  readonly ignored?: (expected: string, got: string) => string;
  /** Conditions besides Ready. */
  readonly conditions: readonly string[];
  /** The prefix of messages of `PreReconciler` and `PostReconciler`. Results and the syncer have none. */
  readonly rawMessages?: boolean;
  /** The prefix of the message of a failed main set. */
  readonly mainFailed: string;
  /** Names under which payloads have its releases; the first appears in messages. */
  folders(spec: NonNullable<T['spec']>): readonly string[];
  /** Objects besides the release. */
  readonly extras?: (services: OperatorServices) => readonly string[];
  /** Without a version: all of it comes from `extras`. */
  readonly flat?: boolean;
  /** Where the release says which version it is. */
  readonly versionMap?: string;
  readonly unknownVersion?: string;
  /** It has no separate release: its version is the operator's. */
  readonly isOfOperator?: boolean;
  readonly imagePrefix: string;
  /** Images that are named are taken as they are, whatever the registry. */
  readonly namedImagesStay?: boolean;
  /** It creates its namespace; otherwise it waits for one. */
  readonly createsNamespace: boolean;
  readonly dependency?: DependencyRule;
  applyDefaults(spec: NonNullable<T['spec']>, platform: Platform): NonNullable<T['spec']>;
  /** The filter of the release. */
  readonly keep?: (
    object: { readonly kind: string; readonly metadata: { readonly name?: string } },
    observed: ObservedComponent<T>,
  ) => boolean;
  /** The steps of its transform, in upstream's order. `extension` are the platform's. */
  steps(observed: ObservedComponent<T>, extension: readonly Transform[]): readonly (Transform | undefined)[];
  /** Its installer sets, in the order in which they are made. Default: the two main sets. */
  sets?(
    observed: ObservedComponent<T>,
    manifest: Manifest,
    payload: string,
  ): readonly PlannedSets[] | Promise<readonly PlannedSets[]>;
  /** Creates its prerequisites: Secrets, certificates. A text is a failure of PreReconciler. */
  prepare?(observed: ObservedComponent<T>, client: Client): Promise<string | undefined>;
  /** Sets of the component that are no longer desired. */
  isStale?(set: TektonInstallerSet, observed: ObservedComponent<T>): boolean;
  /** Upstream's Pipelines as Code goes without being asked; the owner of its sets sees to them. */
  readonly hasFinalizer?: false;
  /** Types of sets that earlier operators made. */
  readonly obsoleteTypes?: readonly string[];
  /** A webhook that would block its own installation while it is down. */
  readonly deadlock?: { readonly service: string; readonly configuration: string };
  /** Its network policies, by name. */
  readonly networkPolicies?: {
    readonly setName: string;
    policies(
      platform: Platform,
      spec: NonNullable<T['spec']>,
    ): Readonly<Record<string, NonNullable<NetworkPolicy['spec']>>>;
  };
  /** The finalizers that its controllers put on runs: they are removed when the component, and the last of its Pods, is deleted. */
  readonly runFinalizers?: {
    readonly prefix: string;
    /** The label `app.kubernetes.io/part-of` of its Pods. */
    readonly partOf: string;
  };
  /** Whether its CustomResourceDefinitions go with it. Default yes. */
  readonly deletesDefinitions?: boolean;
}
