import { type Client, kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, owned, requeueAfter } from '@tektite/controller';
import { InstalledObjects, installSet, type InventoryEntry, removeSet } from '@tektite/installer';
import { controllerOf, equalJson, findCondition } from '@tektite/meta';
import type { HorizontalPodAutoscaler } from '@tektite/schema/kubernetes';
import { TektonInstallerSet } from '../../kinds/kinds.ts';
import type { OperatorEnvironment } from '../../platform/operator-environment.ts';
import { keys } from '../../installer-set/set-keys.ts';
import { manifestsError, ownObjects } from '../../installer-set/shared-objects.ts';
import { tektonDialect } from '../../installer-set/tekton-dialect.ts';
import {
  concernsSet,
  installedStatus,
  installEvents,
  lastingEntries,
  manifestsFailure,
  setOf,
  unconfirmedFor,
  withInventory,
} from './decide.ts';

/** Replicas of workloads belong to their autoscaler: when it changes, all sets are enqueued. There are few of both. */
const autoscalers = mapped(kinds.HorizontalPodAutoscaler, (_, own) => own.keys(), {
  predicate: (change) => change.type !== 'modified' || !equalJson(scalingOf(change.object), scalingOf(change.before)),
});

function scalingOf({ spec, status }: HorizontalPodAutoscaler): unknown {
  const active = findCondition(status?.conditions ?? undefined, 'ScalingActive')?.status;
  return [spec?.scaleTargetRef, spec?.minReplicas, spec?.maxReplicas, status?.desiredReplicas, active];
}

/** When a set goes, others may have to look after what it shared with them. */
const otherSets = mapped(TektonInstallerSet, (_, own) => own.keys(), {
  predicate: ({ type }) => type === 'deleted',
});

/** Installs the objects of sets, keeps them, and says how they are. */
export function installerSetController(
  environment: OperatorEnvironment,
  { hasAutoscalers = true } = {},
): ControllerDefinition {
  const [usual, rolling] = [tektonDialect(environment), tektonDialect(environment, { isRolling: true })];
  const dialectOf = ({ metadata }: TektonInstallerSet) =>
    metadata.annotations?.[keys.strategy] === 'rolling' ? rolling : usual;
  const installed = new InstalledObjects({ concerns: concernsSet });
  return defineController({
    name: 'tektoninstallerset',
    kind: TektonInstallerSet,
    concurrency: 2,
    sources: [
      owned(kinds.Deployment),
      owned(kinds.StatefulSet),
      installed,
      ...(hasAutoscalers ? [autoscalers] : []),
      otherSets,
    ],
    finalizer: {
      name: 'tektoninstallersets.operator.tekton.dev',
      async cleanup(set, { client, signal, key }) {
        installed.forget(key);
        const report = await removeSet(client, setOf(set), usual, { signal });
        return report.result;
      },
    },
    async reconcile(set, { client, clock, signal, event, key, cache }) {
      // A component that is deleted deletes its definitions before its sets: they must not be recreated meanwhile.
      if (await isOwnerDeleted(set, client, signal)) return undefined;
      const objects = ownObjects(set, cache(otherSets).list());
      const dialect = dialectOf(set);
      let status = set.status ?? {};
      const write = async (next: typeof status) => {
        if (equalJson(status, next)) return;
        status = next;
        await client.patchStatus(TektonInstallerSet, { name: key }, mergePatch({ status: next }), { signal });
      };
      const follow = (entries: readonly InventoryEntry[]) => installed.follow(key, lastingEntries(entries, objects));
      const saveInventory = (entries: readonly InventoryEntry[]) => {
        follow(entries);
        return write(withInventory(status, entries));
      };
      const violation = manifestsError(set);
      if (violation !== undefined) {
        await write(installedStatus(set, status, [manifestsFailure(violation)], dialect, clock.now()));
        return undefined;
      }
      const { self, inventory = [] } = setOf(set);
      follow(inventory);
      const report = await installSet(client, { self, objects, inventory }, dialect, { saveInventory, signal });
      for (const change of installEvents(report)) event(change);
      const waitMs = report.ready ? unconfirmedFor(set, clock.now()) : 0;
      if (waitMs > 0) return requeueAfter(waitMs);
      await write(installedStatus(set, status, report.phases, dialect, clock.now()));
      return report.result;
    },
    gone: (key) => installed.forget(key),
  });
}

/** Whether the component of a set is being deleted. */
async function isOwnerDeleted(set: TektonInstallerSet, client: Client, signal: AbortSignal): Promise<boolean> {
  const owner = controllerOf(set);
  if (!owner) return false;
  const { apiVersion, kind, name, uid } = owner;
  const found = await client.getOrUndefined({ apiVersion, kind }, { name }, { metadataOnly: true, signal });
  return found?.metadata.uid === uid && found.metadata.deletionTimestamp !== undefined;
}
