import { type Client, keyOf, mergePatch, retryOnConflict, ignoreNotFound } from '@tektite/client';
import { keys } from '../../connector-keys.ts';
import { InstallManifest } from '../../kinds/install-manifest.ts';
import type { ManifestAction } from './decide.ts';
import type { WantedManifest } from './manifest-for.ts';

/** Does what was decided about an InstallManifest. Rejects with what the API said. */
export async function writeManifest(client: Client, action: ManifestAction, signal: AbortSignal): Promise<void> {
  switch (action.type) {
    case 'create':
      return create(client, action.wanted, signal);
    case 'update':
      return update(client, action.manifest, action.wanted, signal);
    case 'delete':
      return deleteManifest(client, action.manifest, signal);
    case 'adopt': {
      const labels = { ...action.labels, [keys.formerName]: null, [keys.formerVersion]: null };
      await client.patch(InstallManifest, keyOf(action.manifest), mergePatch({ metadata: { labels } }), { signal });
    }
  }
}

async function create(client: Client, { name, labels, annotations, spec }: WantedManifest, signal: AbortSignal) {
  await client.create(InstallManifest, { metadata: { name, labels, annotations }, spec }, { signal });
}

/** In place: installed objects stay, and the installer updates them. */
async function update(client: Client, first: InstallManifest, wanted: WantedManifest, signal: AbortSignal) {
  await retryOnConflict(async (attempt) => {
    const manifest = attempt === 1 ? first : await client.get(InstallManifest, keyOf(first), { signal });
    const { [keys.formerHash]: _, ...annotations } = manifest.metadata.annotations ?? {};
    const metadata = {
      ...manifest.metadata,
      labels: { ...manifest.metadata.labels, ...wanted.labels },
      annotations: { ...annotations, ...wanted.annotations },
    };
    await client.update(InstallManifest, { ...manifest, metadata, spec: wanted.spec }, { signal });
  });
}

/** Deletes it with its dependents. A deleted one is not an error, and another one of its name stays. */
export async function deleteManifest(client: Client, manifest: InstallManifest, signal: AbortSignal): Promise<void> {
  const { uid } = manifest.metadata;
  await client
    .delete(InstallManifest, keyOf(manifest), {
      propagationPolicy: 'Foreground',
      ...(uid ? { preconditions: { uid } } : {}),
      signal,
    })
    .catch(ignoreNotFound);
}
