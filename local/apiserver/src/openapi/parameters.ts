import type { Descriptions } from '@tektite/schema/kubernetes';
import { described } from './definition-component.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description?: string;
  readonly required?: true;
  readonly schema: { readonly type: string; readonly uniqueItems: true };
}

const types: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  limit: 'integer',
  orphanDependents: 'boolean',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

const selection = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch'];
const deletion = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];

/** The query parameters of each action besides `pretty`, which all have. */
const queryParameters: Readonly<Record<string, readonly string[]>> = {
  list: ['allowWatchBookmarks', ...selection, 'sendInitialEvents', 'shardSelector', 'timeoutSeconds', 'watch'],
  post: ['dryRun', 'fieldManager', 'fieldValidation'],
  put: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  delete: deletion,
  deletecollection: [...selection, ...deletion, 'sendInitialEvents', 'shardSelector', 'timeoutSeconds'].sort(),
  get: [],
  connect: [],
};

/**
 * The parameters of an operation, by name. Custom resources differ a little: reading one takes a resourceVersion, and deleting
 * many takes what a list does.
 */
export function operationParameters(action: string, custom: boolean, descriptions: Descriptions): Parameter[] {
  const names =
    custom && action === 'get'
      ? ['resourceVersion']
      : ((custom && action === 'deletecollection' ? queryParameters.list : queryParameters[action]) ?? []);
  return [...names, 'pretty'].map((name) => ({
    name,
    in: 'query',
    ...described((action === 'patch' ? descriptions[`patch ${name}`] : undefined) ?? descriptions[name]),
    schema: { type: types[name] ?? 'string', uniqueItems: true },
  }));
}

export function pathParameter(name: 'name' | 'namespace', kind: string, descriptions: Descriptions): Parameter {
  return {
    name,
    in: 'path',
    ...described(name === 'name' ? `name of the ${kind}` : descriptions.namespace),
    required: true,
    schema: { type: 'string', uniqueItems: true },
  };
}
