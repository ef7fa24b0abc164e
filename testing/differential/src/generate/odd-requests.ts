import type { Edit, Operation } from '../operation.ts';
import { objectOf, type Target } from './target.ts';

/** Label selectors, good and bad. */
export const selectors = ['app=web', 'app!=web', 'app in (a,b)', '!app', 'app', 'app==', 'a b', 'app in ()', '=x'];
/** Field selectors, good and bad. */
export const fieldSelectors = [
  'metadata.name=a',
  'metadata.name!=a',
  'metadata.namespace=default',
  'spec.nodeName=x',
  'status.phase=Pending',
  'type=Opaque',
  'a.b=c',
  'x',
  'metadata.name=a,metadata.name=b',
  '',
];

/** Requests that clients do not send: wrong methods, bodies and media types. */
export function oddRequests(target: Target, path: string): readonly Operation[] {
  return [
    { method: 'POST', path, body: objectOf(target, 'a') },
    { method: 'PUT', path: target.collection, body: objectOf(target, 'a') },
    { method: 'PATCH', path, contentType: 'application/json', body: {} },
    { method: 'PATCH', path, contentType: 'text/plain', bodyText: 'x' },
    { method: 'POST', path: target.collection, bodyText: '{' },
    { method: 'POST', path: target.collection, bodyText: '' },
    { method: 'POST', path: target.collection, body: { ...objectOf(target, 'a'), kind: 'Other' } },
    { method: 'POST', path: target.collection, body: { ...objectOf(target, 'a'), apiVersion: 'example.com/v9' } },
    { method: 'POST', path: target.collection, contentType: 'application/yaml', bodyText: 'a: b: c' },
    { method: 'GET', path: `${path}/nothing` },
    { method: 'GET', path, accept: 'text/html' },
    {
      method: 'PATCH',
      path: `${path}?fieldManager=one`,
      contentType: 'application/apply-patch+yaml',
      bodyText: 'a: [',
    },
    {
      method: 'PATCH',
      path: `${path}?fieldManager=one`,
      contentType: 'application/apply-patch+yaml',
      bodyText: '[]',
    },
    {
      method: 'PATCH',
      path: `${path}?fieldManager=one`,
      contentType: 'application/apply-patch+yaml',
      bodyText: 'metadata: {}',
    },
    { method: 'PATCH', path, contentType: 'application/json-patch+json', bodyText: '{}' },
    { method: 'PATCH', path, contentType: 'application/merge-patch+json', bodyText: '[]' },
  ];
}

/** Changes that an applied configuration must not have, or only at times. */
export function applyEdits(target: Target): readonly Edit[] {
  return [
    { at: '/metadata/name' },
    { at: '/metadata/managedFields', value: [{}] },
    { at: '/metadata/uid', value: 'x' },
    { at: '/metadata/uid', value: `{{uid of ${target.collection}/a}}` },
    { at: '/metadata/resourceVersion', value: '1' },
    { at: '/metadata/resourceVersion', value: `{{version of ${target.collection}/a}}` },
    { at: '/metadata/labels', value: null },
    { at: '/metadata', value: null },
    { at: '/apiVersion' },
    { at: '/kind' },
    { at: '/kind', value: 'Other' },
    { at: '/apiVersion', value: 'v9' },
  ];
}

/** Options of a deletion, good and bad. */
export function deleteOptions(path: string): readonly unknown[] {
  return [
    {},
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Orphan' },
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'x' },
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: -1 },
    { gracePeriodSeconds: 30 },
    { preconditions: { uid: 'x' } },
    { preconditions: { uid: `{{uid of ${path}}}` } },
    { preconditions: { resourceVersion: '1' } },
    { preconditions: { resourceVersion: `{{version of ${path}}}` } },
    { dryRun: ['All'] },
    { dryRun: ['x'] },
    { orphanDependents: true },
    { orphanDependents: false, propagationPolicy: 'Foreground' },
    { kind: 'DeleteOptions', apiVersion: 'v1' },
    { kind: 'Other', apiVersion: 'v1' },
    { unknownField: 1 },
  ];
}
