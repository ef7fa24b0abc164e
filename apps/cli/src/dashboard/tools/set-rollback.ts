import type { Client } from '@tektite/client';
import type { ToolAnswers, ToolInput } from '@tektite/dashboard';
import {
  type ApplyManifestOptions,
  attemptApply,
  describeObject,
  type Manifest,
  planByDryRun,
  readRevision,
  revisionManifest,
} from '@tektite/manifest';
import { countActions } from '../../manifest/manifest-view.ts';
import { readNumber } from '../../user-error.ts';

interface Chosen {
  readonly manifest: Manifest;
  readonly revision: number;
  readonly options: ApplyManifestOptions;
}

/** The revision that is meant, and the options with which `tektite rollback` applies it. */
async function choose(client: Client, input: ToolInput, signal: AbortSignal): Promise<Chosen> {
  const { name = '', namespace = '', revision: wanted = '' } = input;
  const set = { name, namespace };
  const number = readNumber('revision', wanted, 1, 999_999_999);
  const { revision, manifest } = await readRevision(client, set, number, signal);
  const options = { set, namespace, fieldManager: 'tektite', prune: true, signal };
  return { manifest: await revisionManifest(client, manifest, namespace), revision: revision.revision, options };
}

/** The effect of a rollback, by a dry run on the server: nothing is written. */
export async function planRollback(
  client: Client,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolAnswers['plan-rollback']> {
  const { manifest, options } = await choose(client, input, signal);
  const { objects } = await planByDryRun(client, manifest, options);
  return {
    objects: objects
      .filter(({ action }) => action !== 'none' && action !== 'keep')
      .map(({ reference, action, reason = '', before = '', after = '' }) => {
        const { apiVersion, kind, name, namespace } = reference;
        const object = { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
        return { object, action, reason, before, after };
      }),
  };
}

/** Applies an earlier revision of a set again, as `tektite rollback` does. */
export async function rollBack(
  client: Client,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolAnswers['rollback']> {
  const { manifest, revision, options } = await choose(client, input, signal);
  const history = { why: `rollback to ${revision}` };
  const report = await attemptApply(client, manifest, { ...options, resultObjects: 'metadata', history });
  const counts = countActions([...report.results, ...report.pruned]);
  return {
    summary: [...counts].map(([action, count]) => `${count} ${action}`).join(', '),
    failures: report.failed.map(
      ({ reference, error }) => `${describeObject(reference)}: ${error?.message ?? 'failed'}`,
    ),
  };
}
