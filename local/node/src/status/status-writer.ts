import { type Client, kinds, strategicMergePatch } from '@tektite/client';
import { equalJson, isStatusError } from '@tektite/meta';
import type { Pod, PodCondition, PodStatus } from '@tektite/schema/kubernetes';
import { ownConditions } from './pod-conditions.ts';

/**
 * Writes the status of one Pod: the newest, when it differs from the last one written, one at a time. States that came and
 * went while another was being written are skipped.
 */
export class StatusWriter {
  private readonly client: Client;
  private readonly onError: (error: Error) => void;
  private wanted: { readonly pod: Pod; readonly status: PodStatus } | undefined;
  private written: PodStatus | undefined;
  private writing: Promise<void> | undefined;

  constructor(client: Client, onError: (error: Error) => void) {
    this.client = client;
    this.onError = onError;
  }

  put(pod: Pod, status: PodStatus): void {
    if (this.wanted === undefined && equalJson(this.written ?? pod.status, status)) return;
    this.wanted = { pod, status };
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
  }

  /** Whether the server has the newest. Waits for what is under way. */
  async settled(): Promise<boolean> {
    while (this.writing) await this.writing;
    return this.wanted === undefined;
  }

  private async write(): Promise<void> {
    while (this.wanted) {
      const { pod, status } = this.wanted;
      if (equalJson(this.written, status)) {
        this.wanted = undefined;
        return;
      }
      try {
        await this.patch(pod, status);
        this.written = status;
        if (this.wanted.status === status) this.wanted = undefined;
      } catch (error) {
        // The Pod is deleted: its status is no longer needed.
        if (isStatusError(error, 'NotFound')) {
          this.wanted = undefined;
          return;
        }
        this.onError(error as Error);
        return;
      }
    }
  }

  private async patch(pod: Pod, status: PodStatus): Promise<void> {
    const { name = '', namespace = '', uid } = pod.metadata;
    const before = this.written ?? pod.status ?? {};
    const cleared = Object.fromEntries(
      Object.keys(before)
        .filter((key) => !Object.hasOwn(status, key) && (key === 'reason' || key === 'message'))
        .map((key) => [key, null]),
    );
    const conditions = [...ownOf(status).map(patched), ...endedConditions(before, status)];
    const addresses = {
      ...addressPatch('podIPs', before, status),
      ...addressPatch('hostIPs', before, status),
    };
    const body = { metadata: { uid }, status: { ...cleared, ...status, ...addresses, conditions } };
    await this.client.patchStatus(kinds.Pod, { namespace, name }, strategicMergePatch(body), {
      fieldManager: 'kubelet',
    });
  }
}

/** Addresses are merged: those that it had before, in another network, have to be deleted. */
function addressPatch(field: 'podIPs' | 'hostIPs', before: PodStatus, status: PodStatus): object {
  const now = status[field] ?? [];
  const former = (before[field] ?? []).filter(({ ip }) => !now.some((each) => each.ip === ip));
  if (former.length === 0 || now.length === 0) return {};
  return { [field]: [...now, ...former.map(({ ip }) => ({ ip, $patch: 'delete' }))] };
}

function ownOf({ conditions = [] }: PodStatus): readonly PodCondition[] {
  return conditions.filter(({ type }) => ownConditions.has(type));
}

/** Conditions that do not hold any more, such as that of a resize, have to be deleted. */
function endedConditions(before: PodStatus, status: PodStatus): object[] {
  const now = new Set(ownOf(status).map(({ type }) => type));
  return ownOf(before).flatMap(({ type }) => (now.has(type) ? [] : [{ type, $patch: 'delete' }]));
}

/** Conditions are merged by type, field by field: what one lost has to be said. */
function patched(condition: PodCondition): object {
  return { ...condition, reason: condition.reason ?? null, message: condition.message ?? null };
}
