import { readFile } from 'node:fs/promises';
import { type ApplyManifestOptions, checkPlan, type Manifest, readPlanFile } from '@tektite/manifest';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { applyAndShow } from '../manifest/apply-and-show.ts';
import { type ApplyChoices, applyOptionsOf } from '../manifest/apply-options.ts';
import { type ManifestSession, manifestSession } from '../manifest/manifest-session.ts';
import { type ManifestOptions, readManifest } from '../manifest/read-manifest.ts';
import { explainFileError, UserError } from '../user-error.ts';

export interface ApplyCommandOptions extends ManifestOptions, ApplyChoices, ClusterChoice {
  readonly namespace: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly health?: string;
  readonly plan?: string;
  readonly output: string;
}

/** `tektite apply`: makes a cluster have what sources say. */
export async function apply(options: ApplyCommandOptions): Promise<void> {
  await manifestSession(options, async (session) => {
    const [manifest, choices] = await wanted(options, session);
    process.exitCode = (await applyAndShow(session, manifest, choices, options)) ? 0 : 1;
  });
}

/** The input of an apply: sources and options, or a saved plan. */
async function wanted(
  options: ApplyCommandOptions,
  { client, view, signal }: ManifestSession,
): Promise<readonly [Manifest, ApplyManifestOptions]> {
  const choices = applyOptionsOf(options);
  if (options.plan === undefined) {
    if (options.file.length === 0) throw new UserError('say what to apply: -f SOURCE, or --plan FILE', 2);
    return [await readManifest(options, (text) => view.note(text)), choices];
  }
  if (options.file.length > 0) throw new UserError('a plan has its own sources: leave out -f, or --plan', 2);
  const { plan } = options;
  const text = await readFile(plan, 'utf8').catch((error: unknown) => {
    throw new UserError(`--plan: ${explainFileError(error, plan) ?? (error as Error).message}`, 2);
  });
  const file = readPlanFile(text, plan);
  return [file.manifest, { ...choices, ...(await checkPlan(client, file, signal)) }];
}
