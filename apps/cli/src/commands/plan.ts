import { writeFile } from 'node:fs/promises';
import { hasChanges, type Plan, planByDryRun, planManifest, planProblems, writePlanFile } from '@tektite/manifest';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { type ApplyChoices, planChoicesOf } from '../manifest/apply-options.ts';
import { manifestSession } from '../manifest/manifest-session.ts';
import { openPlanServer } from '../manifest/plan-server.ts';
import { planText } from '../manifest/plan-text.ts';
import { type ManifestOptions, readManifest } from '../manifest/read-manifest.ts';
import { explainFileError, UserError } from '../user-error.ts';
import { terminalText } from '../terminal-text.ts';

export interface PlanCommandOptions extends ManifestOptions, ApplyChoices, ClusterChoice {
  readonly namespace: string;
  readonly serverDryRun?: boolean;
  readonly out?: string;
  readonly full?: boolean;
  readonly ignore: readonly string[];
  readonly output: string;
}

/**
 * `tektite plan`: what an apply would do. Exit codes are those of `terraform plan -detailed-exitcode`: 0 nothing, 2 changes, and
 * 1 for whatever went wrong, a plan that cannot be applied included. A process that crashes ends with 1, too, so nothing that
 * failed looks like an answer.
 */
export async function plan(options: PlanCommandOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new UserError(`-o must be text or json, not ${JSON.stringify(options.output)}`);
  try {
    await manifestSession({ ...options, output: 'text' }, async ({ client, signal }) => {
      const manifest = await readManifest(options, (text) => process.stderr.write(`note: ${terminalText(text)}\n`));
      const choices = { ...planChoicesOf(options), ignore: options.ignore, signal };
      const made = options.serverDryRun
        ? await planByDryRun(client, manifest, choices)
        : await planManifest(client, manifest, openPlanServer, choices);
      if (options.out !== undefined) await save(options.out, writePlanFile({ plan: made, manifest }));
      const isOfOperator = made.objects.some(({ reference }) => reference.kind === 'TektonConfig');
      const { componentPlanText, planComponents } = isOfOperator
        ? await import('../manifest/config-plan.ts')
        : { componentPlanText: () => '', planComponents: async () => undefined };
      const components = await planComponents(client, made);
      process.stdout.write(
        options.output === 'json'
          ? `${JSON.stringify(components ? { ...made, components } : made, undefined, 2)}\n`
          : terminalText(planText(made, options.full ?? false) + (components ? componentPlanText(components) : '')),
      );
      process.exitCode = exitCode(made);
    });
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.message, 1);
    throw error;
  }
}

function exitCode(made: Plan): number {
  if (planProblems(made).length > 0) return 1;
  return hasChanges(made) ? 2 : 0;
}

/** Readable by the user alone: a plan contains the values of Secrets. */
async function save(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw new UserError(`--out: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}
