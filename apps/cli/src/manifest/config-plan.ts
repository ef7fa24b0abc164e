import type { Client } from '@tektite/client';
import type { Plan } from '@tektite/manifest';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { type ComponentPlan, planTektonConfig, TektonConfig } from '@tektite/tekton-operator';
import pc from 'picocolors';
import { operatorOptions } from '../catalog/tekton-operator.ts';
import { UserError } from '../user-error.ts';

/** The plan of the Tekton Operator for a TektonConfig that a plan creates or changes, otherwise nothing. */
export async function planComponents(client: Client, plan: Plan): Promise<readonly ComponentPlan[] | undefined> {
  const planned = plan.objects.find(({ reference, after }) => reference.kind === 'TektonConfig' && after !== undefined);
  const config =
    planned?.after === undefined ? undefined : (parseFirstYaml(planned.after)?.value as TektonConfig | undefined);
  return config && planConfig(client, config);
}

/** The plan of the Tekton Operator for a TektonConfig. */
async function planConfig(client: Client, config: TektonConfig): Promise<readonly ComponentPlan[]> {
  const live = await client.getOrUndefined(TektonConfig, { name: 'config' });
  // The operator that runs there decides about upgrades, not this one.
  const version = live?.status?.version ?? operatorOptions.version;
  const metadata = { ...config.metadata, ...(live?.metadata.uid ? { uid: live.metadata.uid } : {}) };
  return planTektonConfig(client, { ...config, metadata }, { ...operatorOptions, version });
}

/** The same for a TektonConfig as text. */
export async function planConfigText(
  client: Client,
  { yaml = '' }: { readonly yaml?: string },
): Promise<{ readonly components: readonly ComponentPlan[] }> {
  const config = parseFirstYaml(yaml)?.value as TektonConfig | undefined;
  if (config?.kind !== TektonConfig.kind) throw new UserError('this is no TektonConfig');
  return { components: await planConfig(client, config) };
}

const signs: Readonly<Record<string, string>> = {
  created: pc.green('+'),
  changed: pc.yellow('~'),
  restarted: pc.yellow('↻'),
  replaced: pc.yellow('±'),
  deleted: pc.red('-'),
  unchanged: ' ',
};

/** The same for people. */
export function componentPlanText(plans: readonly ComponentPlan[]): string {
  const lines = plans.flatMap(({ kind, name, fate, version, problem, objects }) => [
    `${signs[fate]} ${kind} ${name} is ${fate}${version && fate !== 'deleted' ? pc.dim(` (${version})`) : ''}${problem ? `: ${problem}` : ''}`,
    ...objects.map(
      ({ object, fate: becomes }) =>
        `    ${signs[becomes]} ${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name} is ${becomes}`,
    ),
  ]);
  return `${pc.bold('and the Tekton Operator would do this:')}\n${lines.join('\n')}\n`;
}
