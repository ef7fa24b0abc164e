import { readRevision, revisionManifest } from '@tektite/manifest';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { type ApplyChoices, applyOptionsOf } from '../manifest/apply-options.ts';
import { applyAndShow } from '../manifest/apply-and-show.ts';
import { manifestSession } from '../manifest/manifest-session.ts';
import { readNumber } from '../user-error.ts';

export interface RollbackCommandOptions extends Omit<ApplyChoices, 'set'>, ClusterChoice {
  readonly to?: string;
  readonly wait?: boolean;
  readonly health?: string;
  readonly dryRun?: boolean;
  readonly output: string;
}

/** `tektite rollback`: applies an earlier revision of a set again. */
export async function rollback(name: string, options: RollbackCommandOptions): Promise<void> {
  await manifestSession(options, async (session) => {
    const set = { name, namespace: options.namespace };
    const wanted = options.to === undefined ? undefined : readNumber('--to', options.to, 1, 999_999_999);
    const { revision, manifest } = await readRevision(session.client, set, wanted, session.signal);
    const whole = await revisionManifest(session.client, manifest, options.namespace);
    const choices = { ...applyOptionsOf(options), set };
    const ok = await applyAndShow(session, whole, choices, { ...options, why: `rollback to ${revision.revision}` });
    process.exitCode = ok ? 0 : 1;
  });
}
