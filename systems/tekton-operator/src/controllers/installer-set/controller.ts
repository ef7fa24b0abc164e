import { kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, owned } from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import { installSet, type InventoryEntry, removeSet } from '@tektite/installer';
import { equalJson, findCondition, formatTime } from '@tektite/meta';
import type { HorizontalPodAutoscaler } from '@tektite/schema/kubernetes';
import { TektonInstallerSet } from '../../kinds/kinds.ts';
import type { OperatorEnvironment } from '../../platform/operator-environment.ts';
import { keys } from '../../installer-set/set-keys.ts';
import { manifestsError, objectsOf, ownObjects } from '../../installer-set/shared-objects.ts';
import { tektonDialect } from '../../installer-set/tekton-dialect.ts';

/** In `status.annotations`: what the set made, so that what leaves it can be taken away. */
const inventoryKey = 'tektite.dev/inventory';

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
      const saveInventory = (inventory: readonly InventoryEntry[]) =>
        write({ ...status, annotations: { ...status.annotations, [inventoryKey]: JSON.stringify(inventory) } });
      const violation = manifestsError(set);
      if (violation !== undefined) {
        const result = { condition: 'NamespaceScopedResourcesInstalled', status: 'False', reason: 'Error' } as const;
        const message = `Install failed with message: ${violation}`;
        const conditions = dialect.conditions.update((status.conditions ?? []) as never, [{ ...result, message }], {
          now: formatTime(clock.now()),
        });
        await write({ ...status, conditions, observedGeneration: set.metadata.generation ?? 0 });
        return undefined;
      }
      const report = await installSet(client, { ...setOf(set), objects }, dialect, { saveInventory, signal });
      for (const { object, action } of report.changes)
        if (action === 'deleted' && object.kind === 'Deployment')
          event({
            type: 'Warning',
            reason: 'DeploymentRemoved',
            message: `the Deployment ${object.name} could not make its Pods; it is recreated`,
          });
      const conditions = dialect.conditions.update((status.conditions ?? []) as never, report.phases, {
        now: formatTime(clock.now()),
      });
      const observedGeneration = set.metadata.generation ?? 0;
      await write({ ...status, conditions, observedGeneration });
      return report.result;
    },
  });
}

function setOf(set: TektonInstallerSet) {
  const text = set.status?.annotations?.[inventoryKey];
  return { self: set, objects: objectsOf(set), ...(text ? { inventory: readInventory(text) } : {}) };
}

/** It may have been edited: then nothing is known, and nothing is pruned. */
function readInventory(text: string): readonly InventoryEntry[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly InventoryEntry[]) : [];
  } catch {
    return [];
  }
}
