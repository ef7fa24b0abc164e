import type { Client } from '@tektite/client';
import { equalJson, findCondition, isStatusError, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { ComponentObject } from '../component/component-description.ts';
import { isUpgradePending } from '../component/dependencies.ts';
import { keys } from '../installer-set/set-keys.ts';
import { type GoForm, printedByGo } from '../webhooks/go-form.ts';
import { goForms } from '../webhooks/go-forms.ts';

/** Why a component is not there, or not ready, in words for people; nothing when all is well. */
export type NotReadyReason = string | undefined;

type Wanted = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };

/** Upstream's message for another reconcile. */
const again = 'reconcile again and proceed';
const annotationKeys = [keys.platformDataHash, keys.strategy, keys.rollback, keys.pinnedVersion];

/** Has a component be as wanted, and ready. */
export async function ensureComponent(
  client: Client,
  kind: Kind,
  live: ComponentObject | undefined,
  wanted: Wanted,
  unmanaged: readonly string[] = [],
): Promise<NotReadyReason> {
  if (!live) {
    await client.create(kind, wanted as never);
    return again;
  }
  if (live.metadata.deletionTimestamp) return 'it is being deleted';
  const next = changed(live, wanted, unmanaged);
  if (next) {
    await client.update(kind, next as never);
    return again;
  }
  return notReady(live);
}

/** Deletes a component; `again` until it is deleted. */
export async function removeComponent(
  client: Client,
  kind: Kind,
  live: ComponentObject | undefined,
): Promise<NotReadyReason> {
  if (!live) return undefined;
  if (!live.metadata.deletionTimestamp)
    try {
      await client.delete(kind, { name: live.metadata.name ?? '' });
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  return again;
}

function notReady(live: ComponentObject): NotReadyReason {
  if (isUpgradePending(live)) return 'dependency upgrade pending';
  const ready = findCondition(live.status?.conditions, 'Ready');
  // A status for an earlier generation does not count.
  const isSeen = (live.status?.observedGeneration ?? live.metadata.generation ?? 0) >= (live.metadata.generation ?? 0);
  if (ready?.status === 'True') return isSeen ? undefined : again;
  return ready?.message || again;
}

/** The component with what the TektonConfig says; nothing when it says that already. */
export function changed(live: ComponentObject, wanted: Wanted, unmanaged: readonly string[]): KubeObject | undefined {
  const form = (goForms as Readonly<Record<string, GoForm>>)[live.kind] ?? {};
  const before = printedByGo((live.spec ?? {}) as Record<string, unknown>, form);
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => unmanaged.includes(name)));
  const spec = { ...printedByGo(wanted.spec, form), ...kept };
  const { labels = {}, annotations = {}, ownerReferences = [] } = live.metadata;
  const version = wanted.metadata.labels?.[keys.releaseVersion];
  const others = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !(annotationKeys as readonly string[]).includes(name)),
  );
  const next = {
    ...live,
    metadata: {
      ...live.metadata,
      labels: version === undefined ? labels : { ...labels, [keys.releaseVersion]: version },
      annotations: { ...others, ...wanted.metadata.annotations },
      ownerReferences: ownerReferences.length > 0 ? ownerReferences : (wanted.metadata.ownerReferences ?? []),
    },
    spec,
  };
  const isSame =
    equalJson(before, spec) &&
    equalJson(labels, next.metadata.labels) &&
    equalJson(annotations, next.metadata.annotations) &&
    equalJson(ownerReferences, next.metadata.ownerReferences);
  return isSame ? undefined : next;
}
