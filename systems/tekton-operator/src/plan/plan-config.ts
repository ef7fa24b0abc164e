import { type Client, ignoreNotFound } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import { identityText } from '@tektite/manifest';
import { type DynamicObject, equalJson, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { ComponentDescription } from '../component/component-description.ts';
import type { ComponentObject } from '../component/component-object.ts';
import { observeComponent } from '../component/observe-component.ts';
import { planSets } from '../component/planned-sets.ts';
import type { OperatorServices } from '../extension/operator-services.ts';
import { componentVersion, loadRelease, payloadIdentity } from '../component/release-of.ts';
import { descriptions } from '../catalog/all-components.ts';
import { chooseComponents } from '../profile/component-choice.ts';
import {
  componentObject,
  componentObjects,
  type ConfiguredComponent,
  pipelineObject,
} from '../profile/component-objects.ts';
import { decideSets } from '../installer-set/decide-sets.ts';
import { keys } from '../installer-set/set-keys.ts';
import { objectsOf } from '../installer-set/shared-objects.ts';
import type { WantedSets } from '../installer-set/wanted-sets.ts';
import { TektonInstallerSet } from '../kinds/kinds.ts';
import type { TektonConfig, TektonConfigSpec } from '../kinds/tekton-config.ts';
import { servicesOf, type TektonOperatorOptions } from '../operator-options.ts';
import { isManifestProblem } from '../payload/manifest-problem.ts';
import { defaultTektonConfig } from '../rules/defaults/default-tekton-config.ts';

/**
 * The planned change of an object: `restarted` are workloads whose Pods are recreated; `replaced` is deleted and
 * recreated, because the whole set is.
 */
export type PlannedFate = 'created' | 'changed' | 'restarted' | 'replaced' | 'deleted';

export interface PlannedFateOf {
  readonly object: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly fate: PlannedFate;
}

/** The effect of a changed TektonConfig on one component. */
export interface ComponentPlan {
  readonly kind: string;
  readonly name: string;
  readonly fate: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** The release it is of afterwards. */
  readonly version?: string;
  /** Why nothing can be said: its release is missing, or cannot be used. */
  readonly problem?: string;
  readonly objects: readonly PlannedFateOf[];
}

/** These outlive sets, whatever happens. */
const kept = ['CustomResourceDefinition', 'Namespace', 'PersistentVolumeClaim'];

/**
 * Plans the changes of each component for a TektonConfig: which objects are created, changed, restarted, deleted. Reads
 * the cluster, and changes nothing.
 */
export async function planTektonConfig(
  client: Client,
  config: TektonConfig,
  options: TektonOperatorOptions,
): Promise<readonly ComponentPlan[]> {
  const services = servicesOf(options);
  const spec = defaultTektonConfig(config.spec ?? {}, services.platform);
  const choices = chooseComponents(spec, services.platform);
  const sets = (await listOf(client, TektonInstallerSet)) as readonly TektonInstallerSet[];
  const plans: ComponentPlan[] = [];
  const all: readonly (ConfiguredComponent & { readonly isWanted: boolean })[] = [
    { ...pipelineObject, isWanted: true },
    ...(Object.keys(componentObjects) as (keyof typeof componentObjects)[])
      .filter((choice) => choices[choice] !== 'untouched')
      .map((choice) => ({ ...componentObjects[choice], isWanted: choices[choice] === 'wanted' })),
  ];
  for (const component of all) {
    const live = (await listOf(client, component.kind)).find(({ metadata }) => metadata.name === component.name);
    const own = sets.filter(({ metadata }) => metadata.labels?.[keys.createdBy] === component.kind.kind);
    if (component.isWanted) plans.push(await planComponent(component, { client, config, spec, live, own, services }));
    else if (live) plans.push(deletedPlan(component, own));
  }
  return plans;
}

interface Surroundings {
  readonly client: Client;
  readonly config: TektonConfig;
  readonly spec: TektonConfigSpec;
  readonly live: KubeObject | undefined;
  readonly own: readonly TektonInstallerSet[];
  readonly services: OperatorServices;
}

async function planComponent(component: ConfiguredComponent, around: Surroundings): Promise<ComponentPlan> {
  const { client, config, spec, live, own, services } = around;
  const { version, platform } = services;
  const named = { ...config, metadata: { ...config.metadata, uid: config.metadata.uid ?? 'new' } } as TektonConfig;
  const wanted = componentObject(component, named, spec, { version, platform, platformData: '' });
  const identity = { ...live?.metadata, ...wanted.metadata, uid: live?.metadata.uid ?? 'new' };
  const object = { ...wanted, metadata: identity } as ComponentObject;
  const { kind, name } = component;
  const description = descriptions.find((each) => each.kind.kind === kind.kind) as
    | ComponentDescription<ComponentObject>
    | undefined;
  if (!description) return { kind: kind.kind, name, fate: live ? 'unchanged' : 'created', objects: [] };
  try {
    const observed = observeComponent(description, object, services, { client } as ReconcileContext, () => own);
    const { manifest, maker } = await loadRelease(description, observed);
    const installed = componentVersion(description, observed, manifest);
    const planned = await planSets(description, observed, manifest, payloadIdentity(installed, maker));
    const objects = planned.flatMap((item) => fatesOf(item.wanted, own));
    const fate = live ? (objects.length > 0 ? 'changed' : 'unchanged') : 'created';
    return { kind: kind.kind, name, fate, version: installed, objects };
  } catch (error) {
    if (!isManifestProblem(error)) throw error;
    return { kind: kind.kind, name, fate: live ? 'changed' : 'created', problem: error.message, objects: [] };
  }
}

/** The planned changes of the objects of some sets. */
export function fatesOf(wanted: WantedSets, own: readonly TektonInstallerSet[]): readonly PlannedFateOf[] {
  const existing = own.filter(({ metadata }) => metadata.labels?.[keys.type] === wanted.type);
  const before = new Map(
    existing.flatMap((set) => objectsOf(set).map((object) => [identityText(object), object] as const)),
  );
  const after = new Map(
    wanted.parts.flatMap(({ objects }) => objects.map((object) => [identityText(object), object] as const)),
  );
  const finding = decideSets(existing, wanted);
  const isReplaced =
    existing.length > 0 &&
    (finding === 'Invalid' ||
      finding === 'NamespaceDifferent' ||
      (finding === 'VersionDifferent' && wanted.onUpgrade !== 'update') ||
      (finding === 'UpdateRequired' && wanted.onChange === 'recreate'));
  const fates: PlannedFateOf[] = [];
  for (const [key, object] of after) {
    const old = before.get(key);
    const fate = old ? changeOf(old, object, isReplaced) : 'created';
    if (fate) fates.push({ object: nameOf(object), fate });
  }
  for (const [key, object] of before)
    if (!after.has(key) && !kept.includes(object.kind)) fates.push({ object: nameOf(object), fate: 'deleted' });
  return fates;
}

function changeOf(old: DynamicObject, next: DynamicObject, isReplaced: boolean): PlannedFate | undefined {
  if (isReplaced && !kept.includes(next.kind)) return 'replaced';
  if (equalJson(withoutOwners(old), withoutOwners(next))) return undefined;
  const template = ({ spec }: DynamicObject) => (spec as { readonly template?: unknown } | undefined)?.template;
  const isWorkload = next.kind === 'Deployment' || next.kind === 'StatefulSet';
  return isWorkload && !equalJson(template(old), template(next)) ? 'restarted' : 'changed';
}

/** Owner references are not shown. */
function withoutOwners({ metadata, ...rest }: DynamicObject): object {
  const { ownerReferences: _, ...others } = metadata;
  return { ...rest, metadata: others };
}

function deletedPlan({ kind, name }: ConfiguredComponent, own: readonly TektonInstallerSet[]): ComponentPlan {
  const objects = own
    .flatMap(objectsOf)
    .filter((object) => object.kind !== 'Namespace')
    .map((object) => ({ object: nameOf(object), fate: 'deleted' as const }));
  return { kind: kind.kind, name, fate: 'deleted', objects };
}

function nameOf({ kind, metadata }: DynamicObject): PlannedFateOf['object'] {
  return { kind, name: metadata.name ?? '', ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
}

/** A cluster without the operator has nothing of its kinds. */
async function listOf(client: Client, kind: Kind): Promise<readonly KubeObject[]> {
  const list = await client.list<KubeObject>(kind).catch(ignoreNotFound);
  return list?.items ?? [];
}
