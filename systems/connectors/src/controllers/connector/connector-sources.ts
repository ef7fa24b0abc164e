import { kinds } from '@tektite/client';
import { type CachedSource, mapped } from '@tektite/controller';
import { project } from '@tektite/controller/cache';
import { InstallManifest } from '../../kinds/install-manifest.ts';
import { connectorKeys } from './manifest-index.ts';

/** The index of InstallManifests by the key of their Connector. */
export const byConnector = 'connector';

export const manifests: CachedSource<InstallManifest> = mapped(InstallManifest, connectorKeys, {
  indexes: { [byConnector]: connectorKeys },
});

/** A namespace enqueues its Connectors when its phase changes. */
export const namespaces = mapped(
  kinds.Namespace,
  ({ metadata }, own) => [...own.keys()].filter((key) => key.startsWith(`${metadata.name}/`)),
  {
    transform: project(kinds.Namespace, { metadata: { deletionTimestamp: true }, status: { phase: true } }),
    predicate: (change) => change.type !== 'modified' || change.object.status?.phase !== change.before.status?.phase,
  },
);
