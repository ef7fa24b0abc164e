import { stringifyJson } from '@tektite/meta';
import type { DynamicObject } from '@tektite/meta';
import {
  connectorLabels,
  installManifestName,
  keys,
  type ManifestType,
  nameLabel,
  versionLabel,
} from '../../connector-keys.ts';
import type { Connector } from '../../kinds/connector.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { recordOf } from '../install-manifest/manifest-content.ts';
import type { Rendered } from '../../render/render-connector.ts';
import { RenderFailure } from '../../render-failure.ts';

/** The size limit of one object at the API server. */
const maxBytes = 1024 * 1024;

/** An InstallManifest as it has to be. */
export interface WantedManifest {
  readonly type: ManifestType;
  readonly name: string;
  readonly hash: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: InstallManifest['spec'];
}

/** The two InstallManifests of a Connector. Throws a RenderFailure for what is too large. */
export function wantedManifests(
  connector: Connector,
  rendered: Rendered,
  operatorVersion: string,
): readonly [WantedManifest, WantedManifest] {
  const first = wantedManifest(connector, rendered, 'static', operatorVersion);
  return [first, wantedManifest(connector, rendered, 'deployment', operatorVersion, [first.name])];
}

function wantedManifest(
  { metadata, spec }: Connector,
  rendered: Rendered,
  type: ManifestType,
  operatorVersion: string,
  dependsOn: readonly string[] = [],
): WantedManifest {
  const { name = '', namespace = '', uid = '', generation = 0 } = metadata;
  const { objects, hash } = rendered[type];
  const manifestType = spec.manifestType;
  const { payloadVersion, additionalDigest } = rendered;
  const manifests = objects.map((object) => recordOf(object, manifestType));
  const own = installManifestName({ namespace, name }, type);
  mustFit(own, manifests, manifestType);
  return {
    type,
    name: own,
    hash,
    labels: {
      ...connectorLabels({ namespace, name }),
      [keys.releaseVersion]: versionLabel(operatorVersion),
      [keys.manifestType]: type,
    },
    annotations: {
      [keys.hash]: hash,
      [keys.targetNamespace]: namespace,
      ...(nameLabel(name) === name ? {} : { [keys.connectorName]: name }),
    },
    spec: {
      connectorRef: { namespace, name, uid },
      manifestType,
      dependsOn,
      render: { generation, payloadVersion, ...(additionalDigest ? { additionalDigest } : {}) },
      manifests,
    },
  };
}

function mustFit(name: string, manifests: readonly DynamicObject[], type: string): void {
  const size = Buffer.byteLength(stringifyJson(manifests));
  if (size <= maxBytes) return;
  const hint = type === 'All' ? '; set spec.manifestType to Metadata' : '';
  throw new RenderFailure('ManifestTooLarge', `InstallManifest ${name} has ${size} bytes of ${maxBytes}${hint}`);
}
