import type { Client } from '@tektite/client';
import { done, failed, requeueAfter, type Result } from '@tektite/controller';
import type { ObjectReference } from '@tektite/manifest';
import type { ObjectChange } from './act-on-object.ts';
import type { PhaseResult } from './condition-style.ts';
import type { InstallerDialect, InstallPhase, PhaseReport } from './dialect.ts';
import type { InstallerSet, InventoryEntry } from './installer-set.ts';
import { announced } from './inventory.ts';
import type { InstallOptions } from './install-options.ts';
import type { PhaseFailure } from './phase-failure.ts';
import { type PruneOutcome, pruneSet } from './prune-set.ts';
import { runPhase } from './run-phase.ts';
import { type RestoredObject, SetInstallation } from './set-installation.ts';

export interface InstallReport {
  /** Everything is there, and ready. */
  readonly ready: boolean;
  /** For `dialect.conditions.update`. */
  readonly phases: readonly PhaseResult[];
  /** The phase that stopped the run. */
  readonly failure?: PhaseFailure & { readonly phase: string; readonly report: PhaseReport };
  readonly changes: readonly ObjectChange[];
  /** The objects that others had deleted, and that were recreated. */
  readonly restored: readonly ObjectReference[];
  readonly inventory: readonly InventoryEntry[];
  /** For the reconciler to return. */
  readonly result: Result;
}

/**
 * Applies the manifests of a set, phase by phase, and reports its progress.
 *
 * Flow: per phase the objects are read, an action is decided for each, and the actions are performed; then readiness is
 * checked. The first phase that does not succeed ends the reconcile. After the last one, objects that left the set are
 * pruned.
 *
 * Guarantees
 * - When nothing is different, nothing is written.
 * - It is idempotent: interrupted anywhere and repeated, it reaches the same state.
 * - Every write is conditional on the observed state: a concurrent write makes this reconcile wait, not overwrite.
 *
 * It rejects only when it is aborted; errors of the API are in the report.
 *
 * @example const report = await installSet(client, { self: set, objects: set.spec.manifests }, dialect); const
 * conditions = dialect.conditions.update(set.status?.conditions ?? [], report.phases, { now }); await writeStatus(set,
 * { ...set.status, conditions }); return report.result;
 */
export async function installSet(
  client: Client,
  set: InstallerSet,
  dialect: InstallerDialect,
  options: InstallOptions = {},
): Promise<InstallReport> {
  const installation = await SetInstallation.start(client, set, dialect, options);
  const before = set.inventory ?? [];
  const known = announced(
    before,
    installation.wanted.map((object) => installation.placed(object)),
  );
  if (known !== before) await options.saveInventory?.(known);
  const ran = await runPhases(installation);
  const pruned = ran.ready && dialect.prune ? await pruneSet(installation, before) : undefined;
  const inventory = installation.inventory(known, pruned?.settled);
  if (inventory !== known) await options.saveInventory?.(inventory);
  const restored = installation.restored(before);
  const installed = ran.ready ? withRestored(dialect, ran, restored) : ran;
  const result = unsettled(dialect, pruned) ?? installed.result;
  const objects = restored.map(({ object }) => object);
  return { ...installed, changes: installation.changes, restored: objects, inventory, result };
}

/** The next reconcile confirms that everything stays in place. */
const confirmMs = 1_000;

/** An object was missing: the set is not ready before another reconcile has found it. */
function withRestored(
  { restored: explain }: InstallerDialect,
  ran: PhasesRun,
  restored: readonly RestoredObject[],
): PhasesRun {
  if (!explain) return ran;
  const missing = restored.flatMap(({ object, condition }) =>
    condition ? [{ condition, status: 'False' as const, ...explain(object) }] : [],
  );
  if (missing.length === 0) return ran;
  const phases = ran.phases.map((phase) => missing.find(({ condition }) => condition === phase.condition) ?? phase);
  return { ready: false, phases, result: requeueAfter(confirmMs) };
}

type PhasesRun = Pick<InstallReport, 'ready' | 'phases' | 'failure' | 'result'>;

async function runPhases(installation: SetInstallation): Promise<PhasesRun> {
  const { dialect } = installation;
  const phases: PhaseResult[] = [];
  for (const [index, phase] of dialect.phases.entries()) {
    const failure = await runPhase(installation, phase);
    if (!failure) {
      phases.push(...succeeded(installation, phase));
      continue;
    }
    const report = phase.failed(failure);
    // A later phase may share the condition, and must not replace the cause.
    const later = dialect.phases.slice(index + 1).filter(({ condition }) => condition !== phase.condition);
    phases.push(...failedResult(phase, report), ...blocked(dialect, later));
    const result = resultOf(dialect, failure, report);
    return { ready: false, phases, failure: { ...failure, phase: phase.name, report }, result };
  }
  return { ready: true, phases, result: done };
}

/** The result of objects that left the set and are not yet deleted. */
function unsettled({ requeueMs = 10_000 }: InstallerDialect, pruned: PruneOutcome | undefined): Result | undefined {
  if (pruned?.error) return failed(pruned.error);
  return pruned?.waiting ? requeueAfter(requeueMs) : undefined;
}

function succeeded(installation: SetInstallation, phase: InstallPhase): PhaseResult[] {
  if (!phase.condition) return [];
  const explained =
    installation.objectsOf(phase).length === 0 ? (phase.nothingToDo ?? phase.succeeded) : phase.succeeded;
  return [{ condition: phase.condition, status: 'True', ...explained }];
}

function failedResult({ condition }: InstallPhase, { status = 'False', reason, message }: PhaseReport): PhaseResult[] {
  return condition ? [{ condition, status, ...(reason ? { reason } : {}), message }] : [];
}

function blocked({ blocked }: InstallerDialect, later: readonly InstallPhase[]): PhaseResult[] {
  if (!blocked) return [];
  return later.flatMap(({ condition }) => (condition ? [{ condition, status: 'Unknown' as const, ...blocked }] : []));
}

function resultOf(dialect: InstallerDialect, failure: PhaseFailure, { retry, message }: PhaseReport): Result {
  if (retry === 'never') return done;
  if (retry === 'soon') return requeueAfter(dialect.requeueMs ?? 10_000);
  return failed(failure.error ?? new Error(message));
}
