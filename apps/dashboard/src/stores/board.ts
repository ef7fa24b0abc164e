import type { KubeObject } from '@tektite/meta';
import type { Resource } from '../api/resource.ts';

/** Resources that a board shows, in their order, below a title. */
export interface BoardSection {
  readonly title: string;
  readonly group: string;
  readonly plurals: readonly string[];
}

/** Tekton's components and Connectors. */
export const installSections: readonly BoardSection[] = [
  {
    title: 'Tekton',
    group: 'operator.tekton.dev',
    plurals: [
      'tektonconfigs',
      'tektonpipelines',
      'tektontriggers',
      'tektonchains',
      'tektonresults',
      'tektonpruners',
      'tektondashboards',
      'tektonhubs',
      'tektonaddons',
    ],
  },
  { title: 'Installer sets', group: 'operator.tekton.dev', plurals: ['tektoninstallersets'] },
  { title: 'Connectors', group: '*connector', plurals: [] },
];

/** Hosts that users bring, and the machines that are made of them. */
export const hostSections: readonly BoardSection[] = [
  { title: 'Hosts', group: '*', plurals: ['byohosts'] },
  { title: 'Machines', group: '*', plurals: ['byomachines', 'byoclusters'] },
];

/** Whether a resource belongs to a section. `*` is any group; `*word` is any group with that word. */
export function isInSection({ group, plurals }: BoardSection, resource: Resource): boolean {
  const isGroup = group.startsWith('*') ? resource.group.includes(group.slice(1)) : resource.group === group;
  return isGroup && (plurals.length === 0 ? resource.group !== '' : plurals.includes(resource.plural));
}

export interface BoardCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An object with the conditions that say whether it is ready. */
export interface BoardItem {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly state: 'ready' | 'waiting' | 'failed';
  /** In the order of the status; Ready first. */
  readonly conditions: readonly BoardCondition[];
  /** The cause of what is not ready: the first other condition that is not true. */
  readonly cause: string;
}

interface ConditionedObject extends KubeObject {
  readonly status?: { readonly conditions?: readonly Partial<BoardCondition>[]; readonly version?: string };
}

export function boardItem(object: KubeObject): BoardItem {
  const { metadata, status } = object as ConditionedObject;
  const all = (status?.conditions ?? []).map(({ type = '', status: is = 'Unknown', reason = '', message = '' }) => ({
    type,
    status: is,
    reason,
    message,
  }));
  const ready = all.find(({ type }) => type === 'Ready' || type === 'Succeeded');
  const others = all.filter((condition) => condition !== ready);
  const blocking = others.find(({ status: is }) => is === 'False') ?? others.find(({ status: is }) => is === 'Unknown');
  const state = ready?.status === 'True' ? 'ready' : ready?.status === 'False' ? 'failed' : 'waiting';
  const why = state === 'ready' ? undefined : (blocking ?? ready);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    version: status?.version ?? '',
    state,
    conditions: ready ? [ready, ...others] : others,
    cause: why ? `${why.type}: ${why.message || why.reason || why.status}` : '',
  };
}
