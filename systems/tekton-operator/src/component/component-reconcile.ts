import type { ReconcileContext } from '@tektite/controller';
import { canonicalHash, type Manifest } from '@tektite/manifest';
import { InstallerSets } from '../installer-set/installer-sets.ts';
import { keys, kindInNames } from '../installer-set/set-keys.ts';
import { specHash } from '../installer-set/spec-hash.ts';
import type { WantedSets } from '../installer-set/wanted-sets.ts';
import type { TektonInstallerSet } from '../kinds/kinds.ts';
import { type ImageChoice, imagesFrom, imagesText } from '../transform/images.ts';
import { transformManifest } from '../transform/transform-manifest.ts';
import { type GoForm, printedByGo } from '../webhooks/go-form.ts';
import { goForms } from '../webhooks/go-forms.ts';
import type { ComponentDescription, ComponentObject } from './component-description.ts';
import type { OperatorServices } from './operator-services.ts';

/** One reconcile of a component: its object, its manifest, and its desired state. */
export class ComponentReconcile<T extends ComponentObject> {
  readonly description: ComponentDescription<T>;
  readonly component: T;
  readonly services: OperatorServices;
  readonly context: ReconcileContext;
  /** With everything that was left out. */
  readonly spec: NonNullable<T['spec']>;
  readonly images: ImageChoice;
  readonly sets: InstallerSets;

  constructor(
    description: ComponentDescription<T>,
    component: T,
    services: OperatorServices,
    context: ReconcileContext,
    listSets: () => readonly TektonInstallerSet[],
  ) {
    const { kind } = description;
    this.description = description;
    this.component = component;
    this.services = services;
    this.context = context;
    const form = (goForms as Readonly<Record<string, GoForm>>)[kind.kind] ?? {};
    const given = printedByGo(component.spec as NonNullable<T['spec']> | undefined, form);
    this.spec = printedByGo(description.applyDefaults(given, services.platform), form);
    this.images = imagesFrom(services.environment, description.imagePrefix, !description.namedImagesStay);
    this.sets = new InstallerSets(context.client, component, listSets);
  }

  get kind(): string {
    return this.description.kind.kind;
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
    const schema = this.description.kind.schema?.properties?.spec;
    const platformData = this.component.metadata.annotations?.[keys.platformDataHash] ?? '';
    if (counting === 'spec') return specHash(this.spec, schema);
    if (counting === 'extra') return specHash(this.spec, schema, { ExtraData: platformData });
    const registry = this.services.environment.TEKTON_REGISTRY_OVERRIDE ?? '';
    return specHash(this.spec, schema, { PlatformData: platformData, RegistryOverride: registry });
  }

  /** The objects of a release as this component installs them. */
  transform(manifest: Manifest): Manifest {
    const { description, services, component, namespace } = this;
    const extension = services.extension.components?.[this.kind]?.transforms?.(component, services) ?? [];
    const { options } = this.spec;
    return transformManifest(manifest, {
      component,
      namespace,
      environment: services.environment,
      steps: description.steps(this, extension),
      ...(options ? { options } : {}),
    });
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
