import type { DraftObject } from '@tektite/manifest';
import type { Mutable } from '@tektite/meta';
import type { Container, Deployment, EnvVar, Job, PodTemplateSpec, StatefulSet } from '@tektite/schema/kubernetes';

export type DraftDeployment = Mutable<Deployment> & { spec: Mutable<NonNullable<Deployment['spec']>> };
export type DraftStatefulSet = Mutable<StatefulSet> & { spec: Mutable<NonNullable<StatefulSet['spec']>> };
export type DraftContainer = Mutable<Container>;
export type DraftTemplate = Mutable<PodTemplateSpec> & {
  spec: Omit<NonNullable<Mutable<PodTemplateSpec>['spec']>, 'containers'> & { containers: DraftContainer[] };
};

/** The object as a Deployment, if it is one (of that name). One without a spec gets one. */
export function deploymentIn(draft: DraftObject, name?: string): DraftDeployment | undefined {
  if (draft.kind !== 'Deployment' || (name !== undefined && draft.metadata.name !== name)) return undefined;
  const deployment = draft as DraftDeployment;
  deployment.spec ??= { selector: {}, template: {} } as DraftDeployment['spec'];
  return deployment;
}

export function statefulSetIn(draft: DraftObject, name?: string): DraftStatefulSet | undefined {
  if (draft.kind !== 'StatefulSet' || (name !== undefined && draft.metadata.name !== name)) return undefined;
  return draft as DraftStatefulSet;
}

/** The Pods that an object of one of these kinds makes. */
export function templateIn(draft: DraftObject, ...kinds: readonly string[]): DraftTemplate | undefined {
  if (!kinds.includes(draft.kind)) return undefined;
  const { spec } = draft as Mutable<Deployment | StatefulSet | Job>;
  return spec?.template ? templateOf(spec as { template: Mutable<PodTemplateSpec> }) : undefined;
}

export function templateOf(spec: { template: Mutable<PodTemplateSpec> }): DraftTemplate {
  spec.template.spec ??= { containers: [] };
  spec.template.spec.containers ??= [];
  return spec.template as DraftTemplate;
}

/** Sets a variable: in the place of one with that name, else at the end. */
export function putVariable(container: DraftContainer, variable: EnvVar): void {
  container.env = replaceByName(container.env as Mutable<EnvVar>[] | undefined, [variable as Mutable<EnvVar>]);
}

/** The list with these items, each in the place of the first with its name, else at the end. */
export function replaceByName<T extends { readonly name?: string }>(
  list: readonly T[] | undefined,
  items: readonly T[] | undefined,
): T[] {
  const result = [...(list ?? [])];
  for (const item of items ?? []) {
    const index = result.findIndex(({ name }) => name === item.name);
    if (index < 0) result.push(item);
    else result[index] = item;
  }
  return result;
}
