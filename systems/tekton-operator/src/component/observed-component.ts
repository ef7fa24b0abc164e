import type { ReconcileContext } from '@tektite/controller';
import { canonicalHash, type Manifest } from '@tektite/manifest';
import type { Kind } from '@tektite/schema';
import type { InstallerSets } from '../installer-set/installer-sets.ts';
import { keys, kindInNames } from '../installer-set/set-keys.ts';
import { specHash } from '../installer-set/spec-hash.ts';
import type { WantedSets } from '../installer-set/wanted-sets.ts';
import { type ImageChoice, imagesText } from '../transform/images.ts';
import type { ComponentObject } from './component-object.ts';
import type { OperatorServices } from '../extension/operator-services.ts';

/** The parts of an observed component that follow from its description. */
export interface ObservedFields<T extends ComponentObject> {
  readonly kind: Kind<T>;
  readonly component: T;
  /** The spec with its defaults. */
  readonly spec: NonNullable<T['spec']>;
  readonly images: ImageChoice;
  readonly sets: InstallerSets;
  readonly services: OperatorServices;
  readonly context: ReconcileContext;
  /** Applies the transforms of the component to objects of its release. */
  readonly transform: (manifest: Manifest) => Manifest;
}

/** A component as one reconcile observes it. Nothing changes it. */
export class ObservedComponent<T extends ComponentObject> implements Omit<ObservedFields<T>, 'kind' | 'transform'> {
  readonly component: T;
  readonly spec: NonNullable<T['spec']>;
  readonly images: ImageChoice;
  readonly sets: InstallerSets;
  readonly services: OperatorServices;
  readonly context: ReconcileContext;
  private readonly definition: Kind<T>;
  private readonly applyTransforms: (manifest: Manifest) => Manifest;

  constructor(fields: ObservedFields<T>) {
    this.definition = fields.kind;
    this.component = fields.component;
    this.spec = fields.spec;
    this.images = fields.images;
    this.sets = fields.sets;
    this.services = fields.services;
    this.context = fields.context;
    this.applyTransforms = fields.transform;
  }

  get kind(): string {
    return this.definition.kind;
  }

  get namespace(): string {
    return this.spec.targetNamespace ?? '';
  }

  get pinnedVersion(): string | undefined {
    return this.component.metadata.annotations?.[keys.pinnedVersion] || undefined;
  }

  get strategy(): 'rolling' | 'recreate' {
    return this.component.metadata.annotations?.[keys.strategy] === 'rolling' ? 'rolling' : 'recreate';
  }

  /** Whether it goes back to what worked when an upgrade fails. */
  get rollsBack(): boolean {
    return this.component.metadata.annotations?.[keys.rollback] === 'true';
  }

  /** The hash of what the sets are made of. Some components count nothing but their spec, and Results call the rest otherwise. */
  hash(counting: 'all' | 'spec' | 'extra' = 'all'): string {
    const schema = this.definition.schema?.properties?.spec;
    const platformData = this.component.metadata.annotations?.[keys.platformDataHash] ?? '';
    if (counting === 'spec') return specHash(this.spec, schema);
    if (counting === 'extra') return specHash(this.spec, schema, { ExtraData: platformData });
    const registry = this.services.environment.TEKTON_REGISTRY_OVERRIDE ?? '';
    return specHash(this.spec, schema, { PlatformData: platformData, RegistryOverride: registry });
  }

  /** The objects of a release as this component installs them. */
  transform(manifest: Manifest): Manifest {
    return this.applyTransforms(manifest);
  }

  /** The common part of all sets of this component. */
  wanted(type: string, payload?: string): Omit<WantedSets, 'parts'> {
    return {
      createdBy: this.kind,
      type,
      targetNamespace: this.namespace,
      version: this.services.version,
      hash: this.hash(),
      imagesHash: canonicalHash(imagesText(this.images)),
      ...(payload === undefined ? {} : { payload }),
      ...(this.strategy === 'rolling'
        ? { onUpgrade: 'update' as const, annotations: { [keys.strategy]: 'rolling' } }
        : {}),
    };
  }

  /** `pipeline` in `pipeline-main-static-`. */
  get prefix(): string {
    return kindInNames(this.kind);
  }
}
