import type { RuleWithOperations } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import { ruleMatches, type RuleSubject } from './rule-match.ts';

const everything: RuleWithOperations = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
const deployment: RuleSubject = {
  operation: 'CREATE',
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  subresource: '',
  namespace: 'default',
};

describe('a rule', () => {
  test.each<[string, Partial<RuleWithOperations>, Partial<RuleSubject>, boolean]>([
    ['covers everything with wildcards', {}, {}, true],
    ['covers the operation it names', { operations: ['CREATE'] }, {}, true],
    ['does not cover another operation', { operations: ['UPDATE', 'DELETE'] }, {}, false],
    ['covers the group it names', { apiGroups: ['apps'] }, {}, true],
    ['does not take the core group for any group', { apiGroups: [''] }, {}, false],
    ['does not cover another version', { apiVersions: ['v1beta1'] }, {}, false],
    ['covers the resource it names', { resources: ['deployments'] }, {}, true],
    [
      'does not cover subresources of a bare resource',
      { resources: ['deployments'] },
      { subresource: 'status' },
      false,
    ],
    ['does not cover subresources with a bare wildcard', { resources: ['*'] }, { subresource: 'scale' }, false],
    ['covers all subresources where it says so', { resources: ['deployments/*'] }, { subresource: 'scale' }, true],
    ['covers the object too where it names all subresources', { resources: ['deployments/*'] }, {}, true],
    ['covers one subresource of all resources', { resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['does not cover the object with one subresource', { resources: ['*/scale'] }, {}, false],
    ['covers namespaced objects by scope', { scope: 'Namespaced' }, {}, true],
    ['leaves namespaced objects out by scope', { scope: 'Cluster' }, {}, false],
    ['covers cluster-wide objects by scope', { scope: 'Cluster' }, { namespace: '' }, true],
    [
      'takes a Namespace for cluster-wide though it is in itself',
      { scope: 'Cluster' },
      { group: '', plural: 'namespaces', namespace: 'default' },
      true,
    ],
    [
      'does not take a Namespace for namespaced',
      { scope: 'Namespaced' },
      { group: '', plural: 'namespaces', namespace: 'default' },
      false,
    ],
    ['covers nothing when it names no resource', { resources: [] }, {}, false],
    ['covers nothing with an unknown scope', { scope: 'Galaxy' }, {}, false],
  ])('%s', (_, rule, subject, expected) => {
    expect(ruleMatches({ ...everything, ...rule }, { ...deployment, ...subject })).toBe(expected);
  });
});
