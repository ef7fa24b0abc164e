import type { KubeObject } from '@tektite/meta';
import type { BuiltinConversion } from '../builtin-resource.ts';
import type { Draft } from '../resource.ts';

/** The `events.k8s.io/v1` names of the fields of a core Event. */
const names: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function rename(object: Draft, from: 0 | 1): Draft {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    const pair = names.find((candidate) => candidate[from] === key);
    result[pair ? pair[from === 0 ? 1 : 0] : key] = value;
  }
  return result as Draft;
}

/** Events of both groups are one thing, stored in the core form. */
export const eventConversion: BuiltinConversion = {
  storagePrefix: '/registry/events/',
  storageVersion: 'v1',
  toStorage: (object) => ({ ...rename(object, 1), apiVersion: 'v1' }),
  fromStorage: (object: KubeObject) => ({ ...rename(object as Draft, 0), apiVersion: 'events.k8s.io/v1' }),
};
