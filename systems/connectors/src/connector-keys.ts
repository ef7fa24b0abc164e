import { sha256Hex } from '@tektite/manifest';

/** Labels and annotations of the wire format. */
export const keys = {
  connectorName: 'cpaas.io/connector-name',
  connectorNamespace: 'cpaas.io/connector-namespace',
  releaseVersion: 'cpaas.io/release-version',
  manifestType: 'cpaas.io/install-manifest-type',
  managedBy: 'cpaas.io/managed-by',
  hash: 'cpaas.io/last-applied-hash',
  targetNamespace: 'cpaas.io/target-namespace',
  /** The same key of InstallManifests of early versions. */
  formerHash: 'cpaas.io/manifestsHash',
  formerName: 'cpaas.io/connector',
  formerVersion: 'cpaas.io/connectorVersion',
} as const;

/** The value of `cpaas.io/managed-by`, and who owns the fields that are written. */
export const operatorName = 'connectors-operator';

export const connectorFinalizer = 'connectors.operator.connectors.alauda.io';
export const installManifestFinalizer = 'installmanifests.operator.connectors.alauda.io';

/** The two halves of an installation: workloads, and all they need. */
export const manifestTypes = ['static', 'deployment'] as const;
export type ManifestType = (typeof manifestTypes)[number];

interface ConnectorName {
  readonly namespace: string;
  readonly name: string;
}

const maxLabelLength = 63;
const shownName = 40;

const short = (text: string): string => sha256Hex(text).slice(0, 8);

/** Derived from the Connector, so that an InstallManifest is never created twice. */
export function installManifestName({ namespace, name }: ConnectorName, type: ManifestType): string {
  const shown = name.slice(0, shownName).replace(/[^a-z0-9]+$/, '');
  return `${shown}-${short(`${namespace}/${name}`)}-${type}`;
}

/** Names may be longer than labels. */
export function nameLabel(name: string): string {
  if (name.length <= maxLabelLength) return name;
  return `${name.slice(0, maxLabelLength - 9).replace(/[^a-z0-9]+$/, '')}-${short(name)}`;
}

/** A version in the characters of labels. */
export function versionLabel(version: string): string {
  return version
    .replace(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, maxLabelLength)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

/** Labels that select all objects of a Connector. */
export function connectorLabels({ namespace, name }: ConnectorName): Readonly<Record<string, string>> {
  return { [keys.connectorName]: nameLabel(name), [keys.connectorNamespace]: namespace };
}
