import { kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, owned } from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import { installSet, type InventoryEntry, removeSet } from '@tektite/installer';
import { equalJson, findCondition } from '@tektite/meta';
import type { HorizontalPodAutoscaler } from '@tektite/schema/kubernetes';
import { TektonInstallerSet } from '../../kinds/kinds.ts';
import type { OperatorEnvironment } from '../../platform/operator-environment.ts';
import { keys } from '../../installer-set/set-keys.ts';
import { manifestsError, ownObjects } from '../../installer-set/shared-objects.ts';
import { tektonDialect } from '../../installer-set/tekton-dialect.ts';
import { installedStatus, installEvents, manifestsFailure, setOf, withInventory } from './decide.ts';

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
  return defineController({
    name: 'tektoninstallerset',
    kind: TektonInstallerSet,
    concurrency: 2,
    sources: [
      owned(kinds.Deployment),
      owned(kinds.StatefulSet),
      owned(kinds.ClusterRole, { transform: metadataOnly }),
      owned(kinds.ClusterRoleBinding, { transform: metadataOnly }),
      owned(kinds.ServiceAccount, { transform: metadataOnly }),
      ...(hasAutoscalers ? [autoscalers] : []),
      otherSets,
    ],
    finalizer: {
      name: 'tektoninstallersets.operator.tekton.dev',
      async cleanup(set, { client, signal }) {
        const report = await removeSet(client, setOf(set), usual, { signal });
        return report.result;
      },
    },
    async reconcile(set, { client, clock, signal, event, key, cache }) {
      const objects = ownObjects(set, cache(otherSets).list());
      const dialect = dialectOf(set);
      let status = set.status ?? {};
      const write = async (next: typeof status) => {
        if (equalJson(status, next)) return;
        status = next;
        await client.patchStatus(TektonInstallerSet, { name: key }, mergePatch({ status: next }), { signal });
      };
      const saveInventory = (inventory: readonly InventoryEntry[]) => write(withInventory(status, inventory));
      const violation = manifestsError(set);
      if (violation !== undefined) {
        await write(installedStatus(set, status, [manifestsFailure(violation)], dialect, clock.now()));
        return undefined;
      }
      const report = await installSet(client, { ...setOf(set), objects }, dialect, { saveInventory, signal });
      for (const change of installEvents(report.changes)) event(change);
      await write(installedStatus(set, status, report.phases, dialect, clock.now()));
      return report.result;
    },
  });
}
