import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { Predicate } from './manifest.ts';
import * as predicates from './predicate.ts';
import { knownScopes } from './scopes.ts';
import { configMap, definition, deployment, manifestOf, widget } from './test-support.ts';

const labelled: DynamicObject = {
  ...configMap('labelled'),
  metadata: { name: 'labelled', labels: { app: 'web', tier: '' } },
};
const all = manifestOf(configMap('one'), deployment('web'), definition(), widget('w'), labelled);
const scopes = knownScopes(all);

const cases: readonly (readonly [string, Predicate, readonly string[]])[] = [
  ['all of nothing is everything', predicates.allOf(), ['one', 'web', 'widgets.example.com', 'w', 'labelled']],
  ['any of nothing is nothing', predicates.anyOf(), []],
  ['not', predicates.not(predicates.everything), []],
  ['definitions', predicates.isDefinition(), ['widgets.example.com']],
  ['a name', predicates.byName('web'), ['web']],
  ['kinds', predicates.byKind('Widget', 'Deployment'), ['web', 'w']],
  ['a group', predicates.byGroup('apps'), ['web']],
  ['a version', predicates.byGroupVersionKind('apps/v1beta1', 'Deployment'), []],
  ['a namespace', predicates.byNamespace(''), ['widgets.example.com', 'labelled']],
  ['a pattern of names', predicates.byNameGlob('w*'), ['web', 'widgets.example.com', 'w']],
  ['a label of any value', predicates.byLabel('app'), ['labelled']],
  ['a label of another value', predicates.byLabel('app', 'db'), []],
  [
    'any of some labels',
    predicates.byAnyLabel({ app: 'db', tier: '' }),
    ['one', 'web', 'widgets.example.com', 'w', 'labelled'],
  ],
  ['a selector', predicates.bySelector('app in (web,db)'), ['labelled']],
  ['a field', predicates.byField('spec.template.spec.containers[0].image', 'web:1'), ['web']],
  ['another manifest', predicates.isIn(manifestOf({ ...deployment('web'), apiVersion: 'apps/v1beta1' })), ['web']],
  ['what is in no namespace', predicates.isClusterScoped(scopes), ['widgets.example.com']],
  ['what is in namespaces', predicates.isNamespaced(scopes), ['one', 'web', 'w', 'labelled']],
];

describe('predicates choose by', () => {
  it.each(cases)('chooses objects: %s', (_what, predicate, expected) => {
    expect(all.filter(predicate).objects.map(({ metadata }) => metadata.name)).toEqual(expected);
  });

  it('patterns that would take for ever elsewhere, at once', () => {
    const name = 'a'.repeat(5000);
    const glob = predicates.byNameGlob(`${'a*'.repeat(500)}b`);
    expect(manifestOf({ ...configMap('x'), metadata: { name } }).filter(glob).size).toBe(0);
  });
});
