import type { Client } from '@tektite/client';
import type { ReconcileContext, Source } from '@tektite/controller';
import type { Manifest, Transform } from '@tektite/manifest';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { PlatformServices } from './platform-services.ts';
import type { Progress } from './progress.ts';
import type { InstallerSets, SetsState } from '../installer-set/installer-sets.ts';
import type { TektonConfig } from '../kinds/tekton-config.ts';

/** The context of a platform extension in a component's reconcile. */
export interface ExtensionContext<T extends KubeObject = KubeObject> {
  readonly client: Client;
  readonly component: T;
  readonly namespace: string;
  readonly services: PlatformServices;
  readonly context: ReconcileContext;
  readonly sets: InstallerSets;
  /** Creates a set of the component with these objects: `pre`, `post`, or a custom one. */
  ensureSet(type: 'pre' | 'post' | `custom-${string}`, manifest: Manifest): Promise<SetsState>;
  /** Deletes it. */
  removeSet(type: string): Promise<void>;
}

/** The extension of one component. All parts are optional. */
export interface ComponentExtension<T extends KubeObject = KubeObject> {
  /** Further changes of the component's objects. */
  transforms?(component: T, services: PlatformServices): readonly Transform[];
  /** Before the component's own objects. A failure is in the condition PreReconciler. */
  preReconcile?(context: ExtensionContext<T>): Promise<Progress>;
  /** After them. A failure is in the condition PostReconciler. */
  postReconcile?(context: ExtensionContext<T>): Promise<Progress>;
  /** When the component goes. A failure is logged, no more. */
  finalize?(context: ExtensionContext<T>): Promise<void>;
  /** A text that changes when the platform changes in a way that the component's objects depend on. */
  platformData?(services: PlatformServices): string;
}

/**
 * The extension of a platform: objects before and after those of components, changes of them, kinds that are watched.
 *
 * @example const mine: PlatformExtension = { name: 'mine', components: { TektonPipeline: { transforms: () =>
 * [addMyLabel] } }, };
 */
export interface PlatformExtension {
  readonly name: string;
  readonly config?: ComponentExtension<TektonConfig>;
  /** By the component's kind. */
  readonly components?: Readonly<Record<string, ComponentExtension>>;
  /** Additional watches that enqueue the TektonConfig. */
  readonly sources?: readonly Source[];
  /** The same for a server that may lack some kinds of the platform. */
  forServer?(client: Client): Promise<PlatformExtension>;
  /** Kinds that the platform has, and the operator reads or writes. */
  readonly kinds?: readonly Kind[];
}

/** Kubernetes itself adds nothing to components. */
export const kubernetesExtension: PlatformExtension = { name: 'kubernetes' };
