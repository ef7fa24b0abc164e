import { type Client, mergePatch } from '@tektite/client';
import { type Condition, equalJson, findCondition, setCondition } from '@tektite/meta';
import { keys } from '../../connector-keys.ts';
import { InstallManifest, type InstallManifestStatus } from '../../kinds/install-manifest.ts';
import { manifestConditions } from './manifest-dialect.ts';

/** Writes the status of an InstallManifest, several times in one reconcile; each write is bound to the one before. */
export class ManifestStatus {
  private readonly client: Client;
  private readonly signal: AbortSignal;
  private manifest: InstallManifest;

  constructor(client: Client, manifest: InstallManifest, signal: AbortSignal) {
    this.client = client;
    this.manifest = manifest;
    this.signal = signal;
  }

  get now(): InstallManifestStatus {
    return this.manifest.status ?? {};
  }

  /** Writes what is different; nothing if that is nothing. */
  async write(change: InstallManifestStatus): Promise<void> {
    const changed = Object.entries(change).filter(
      ([field, value]) => !equalJson(value, this.now[field as keyof InstallManifestStatus]),
    );
    if (changed.length === 0) return;
    const { name = '', uid, resourceVersion } = this.manifest.metadata;
    const patch = mergePatch({ metadata: { uid, resourceVersion }, status: Object.fromEntries(changed) });
    this.manifest = await this.client.patchStatus(InstallManifest, { name }, patch, { signal: this.signal });
  }

  /** The fields that say what the rest of the status is about. */
  facts(): InstallManifestStatus {
    const { metadata, spec } = this.manifest;
    const releaseVersion = metadata.labels?.[keys.releaseVersion];
    const connectorVersion = spec.render?.payloadVersion;
    return {
      observedGeneration: metadata.generation ?? 0,
      ...(connectorVersion ? { connectorVersion } : {}),
      ...(releaseVersion ? { releaseVersion } : {}),
    };
  }
}

/** Not ready, for a reason that is in none of the phases: they keep what they said. */
export function notReady(
  conditions: readonly Condition[],
  why: { readonly reason: string; readonly message: string },
  now: string,
  generation: number,
): readonly Condition[] {
  const known = findCondition(conditions, 'Ready')
    ? conditions
    : manifestConditions.update([], [], { now, generation });
  return setCondition(known, { type: 'Ready', status: 'False', ...why, observedGeneration: generation }, now);
}
