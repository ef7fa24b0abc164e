import { formatGoValue } from '@tektite/go';
import type { ObjectMeta } from '@tektite/meta';
import type { TriggerBindingSpec } from '../kinds/binding.ts';
import type { Param } from '../kinds/param.ts';
import type { TriggerTemplateSpec } from '../kinds/template.ts';
import type { TriggerSpec, TriggerSpecBinding } from '../kinds/trigger.ts';

/** The bindings and templates that a trigger may refer to, by name. A missing one throws, with the API's message. */
export interface References {
  binding(name: string): { readonly spec: TriggerBindingSpec };
  clusterBinding(name: string): { readonly spec: TriggerBindingSpec };
  template(name: string): ResolvedTemplate;
}

export interface ResolvedTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: TriggerTemplateSpec;
}

export interface ResolvedTrigger {
  readonly params: readonly Param[];
  readonly template: ResolvedTemplate;
}

/** Follows the references of a trigger. */
export function resolveTrigger({ bindings, template }: TriggerSpec, references: References): ResolvedTrigger {
  const params = within('failed to resolve bindings', () => paramsOf(bindings ?? [], references));
  if (template.spec) return { params, template: { spec: template.spec } };
  const name = template.ref ?? '';
  return { params, template: within(`error getting TriggerTemplate ${name}`, () => references.template(name)) };
}

function paramsOf(bindings: readonly TriggerSpecBinding[], references: References): readonly Param[] {
  const params = bindings.flatMap((binding) => paramsOfOne(binding, references));
  const seen = new Set<string>();
  for (const { name } of params) {
    if (seen.has(name)) throw new Error(`duplicate param name: ${name}`);
    seen.add(name);
  }
  return params;
}

function paramsOfOne(binding: TriggerSpecBinding, references: References): readonly Param[] {
  const { name = '', value, ref = '', kind } = binding;
  if (name !== '' && value !== undefined) return [{ name, value }];
  if (ref === '') throw new Error(`invalid binding: ${formatGoValue(binding)}`);
  // Upstream prints the name, which a reference does not have.
  const read = kind === 'ClusterTriggerBinding' ? references.clusterBinding : references.binding;
  const label = kind === 'ClusterTriggerBinding' ? 'ClusterTriggerBinding' : 'TriggerBinding';
  return within(`error getting ${label} ${name}`, () => read(ref)).spec.params ?? [];
}

function within<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`${doing}: ${(error as Error).message}`, { cause: error });
  }
}
