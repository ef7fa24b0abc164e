import type { KubeObject } from '@tektite/meta';
import type { Resource } from '../api/resource.ts';
import { visibleText } from '../run/index.ts';

/** Resources that a board shows below a title. */
export interface BoardSection {
  readonly title: string;
  readonly isIn: (resource: Resource) => boolean;
  /** Plurals that come first, in this order. */
  readonly first: readonly string[];
  /** Plurals of objects that are shown within those that they are part of. */
  readonly parts: readonly string[];
}

const tektonOrder = ['tektonconfigs', 'tektonpipelines', 'tektontriggers', 'tektonchains', 'tektonresults'];

/** Tekton's components with their installer sets, and Connectors with their InstallManifests. */
export const installSections: readonly BoardSection[] = [
  {
    title: 'Tekton',
    isIn: ({ group }) => group === 'operator.tekton.dev',
    first: tektonOrder,
    parts: ['tektoninstallersets'],
  },
  {
    title: 'Connectors',
    isIn: ({ group, plural }) =>
      /^operator\.connectors?\./.test(group) && /^(connectors|installmanifests)$/.test(plural),
    first: ['connectors'],
    parts: ['installmanifests'],
  },
];

const isHostGroup = ({ group }: Resource) => group.startsWith('infrastructure.cluster.');

/** Machines, and the hosts that users bring for them. */
export const hostSections: readonly BoardSection[] = [
  {
    title: 'Machines',
    isIn: (resource) => isHostGroup(resource) && /^byo(machines|clusters)$/.test(resource.plural),
    first: ['byomachines'],
    parts: [],
  },
  {
    title: 'Hosts',
    isIn: (resource) => isHostGroup(resource) && resource.plural === 'byohosts',
    first: [],
    parts: [],
  },
];

export interface BoardCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An object with the conditions that say whether it is ready. */
export interface BoardItem {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly version: string;
  readonly state: 'ready' | 'waiting' | 'failed';
  /** In the order of the status; Ready first. */
  readonly conditions: readonly BoardCondition[];
  /** The cause of what is not ready: the first other condition that is not true. */
  readonly cause: string;
  /** Of a component: which upgrade failed and was undone, and why. */
  readonly upgrade: string;
  /** The object that it is a part of, as `Connector default/shop` or `TektonPipeline`. */
  readonly partOf: string;
  /** How many objects it installs. */
  readonly size: number;
  /** Facts of a host, by name. */
  readonly facts: readonly (readonly [string, string])[];
  /** The script that undoes the installation on a host. */
  readonly undo: string;
}

interface Reference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface BoardObject extends KubeObject {
  readonly spec?: {
    readonly connectorRef?: Reference;
    readonly manifests?: readonly unknown[];
    readonly uninstallationScript?: string;
    readonly providerID?: string;
  };
  readonly status?: {
    readonly conditions?: readonly (Partial<BoardCondition> & { readonly severity?: string })[];
    readonly version?: string;
    readonly connectorVersion?: string;
    readonly machineRef?: Reference;
    readonly ready?: boolean;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly hostinfo?: { readonly osname?: string; readonly osimage?: string; readonly architecture?: string };
    readonly network?: readonly { readonly isDefault?: boolean; readonly ipAddrs?: readonly string[] }[];
  };
}

export function boardItem(object: KubeObject): BoardItem {
  const { kind, metadata, spec, status } = object as BoardObject;
  const given = status?.conditions ?? [];
  const all = given.map(({ type = '', status: is = 'Unknown', reason = '', message = '' }) => ({
    type,
    status: is,
    reason: visibleText(reason),
    message: visibleText(message),
  }));
  const ready = all.find(({ type }) => type === 'Ready' || type === 'Succeeded');
  const others = all.filter((condition) => condition !== ready);
  const blocking = others.find(({ status: is }) => is === 'False') ?? others.find(({ status: is }) => is === 'Unknown');
  const isBroken = given.some(
    ({ type, status: is, severity }) =>
      is === 'False' && (severity === undefined ? type === ready?.type : severity === 'Error'),
  );
  const state = readyState(object as BoardObject, ready, isBroken);
  const why = state === 'ready' ? undefined : (blocking ?? ready);
  const { connectorRef: connector } = spec ?? {};
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    version: status?.version ?? status?.connectorVersion ?? '',
    state,
    conditions: ready ? [ready, ...others] : others,
    cause: why ? `${why.type}: ${why.message || why.reason || why.status}` : '',
    upgrade: failedUpgrade(status?.annotations),
    partOf: connector
      ? `Connector ${connector.namespace}/${connector.name}`
      : (metadata.labels?.['operator.tekton.dev/created-by'] ?? ''),
    size: spec?.manifests?.length ?? 0,
    facts: hostFacts(object),
    undo: visibleText(spec?.uninstallationScript ?? ''),
  };
}

/** Cluster API's conditions have a severity: without it, what is False has failed. A host that is free waits for nothing. */
function readyState(object: BoardObject, ready: BoardCondition | undefined, isBroken: boolean): BoardItem['state'] {
  if (ready?.status === 'True' || (!ready && object.status?.ready)) return 'ready';
  if (isBroken) return 'failed';
  const isFree = object.kind === 'ByoHost' && !object.status?.machineRef;
  return isFree ? 'ready' : 'waiting';
}

/** The operator goes back to the release that worked, and notes the one that did not. */
function failedUpgrade(annotations: Readonly<Record<string, string>> = {}): string {
  try {
    const { release, why } = JSON.parse(annotations['tektite.dev/upgrade-failed'] ?? '') as Record<string, string>;
    return visibleText(`The upgrade to ${release} failed, and the release before it was restored: ${why}`);
  } catch {
    return '';
  }
}

function hostFacts(object: KubeObject): BoardItem['facts'] {
  const { kind, spec, status } = object as BoardObject;
  if (kind === 'ByoMachine') return spec?.providerID ? [['provider ID', spec.providerID]] : [];
  if (kind !== 'ByoHost') return [];
  const { osname = '', osimage = '', architecture = '' } = status?.hostinfo ?? {};
  const networks = status?.network ?? [];
  const network = networks.find(({ isDefault }) => isDefault) ?? networks[0];
  const facts: readonly (readonly [string, string])[] = [
    ['system', [osimage || osname, architecture].filter(Boolean).join(' · ')],
    ['address', network?.ipAddrs?.[0] ?? ''],
    ['machine', status?.machineRef?.name ?? 'none: it is free'],
  ];
  return facts.filter(([, value]) => value !== '').map(([name, value]) => [name, visibleText(value)] as const);
}
