import { describe, expect, it } from 'vitest';
import { created, createErrors, defaulted, objectOf, tableRow, updateErrors } from '../test-support.ts';

const version = 'rbac.authorization.k8s.io/v1';
const roleRef = { kind: 'Role', name: 'r' };

describe('roles', () => {
  it.each<[string, string, object, string[]]>([
    [
      'Role',
      'without verbs',
      { rules: [{ apiGroups: [''], resources: ['pods'] }] },
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ],
    [
      'Role',
      'about paths',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
    [
      'ClusterRole',
      'about both',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'] }] },
      [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
    ],
    [
      'ClusterRole',
      'of nothing',
      { aggregationRule: {} },
      [
        'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
      ],
    ],
  ])('%s %s', (kind, _, content, expected) => expect(createErrors(objectOf(version, kind, content))).toEqual(expected));

  it('may have names that others may not', () => {
    expect(createErrors(objectOf(version, 'Role', { metadata: { name: 'system:A b' }, rules: [] }))).toEqual([]);
  });
});

describe('bindings', () => {
  it.each<[string, object, string[]]>([
    ['of a user', { roleRef, subjects: [{ kind: 'User', name: 'jane' }] }, []],
    [
      'of nobody known',
      { roleRef, subjects: [{ kind: 'Robot', name: 'r' }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
    [
      'to nothing',
      { roleRef: { kind: 'Thing' } },
      [
        'roleRef.kind: Unsupported value: "Thing": supported values: "Role", "ClusterRole"',
        'roleRef.name: Required value',
      ],
    ],
  ])('are validated: %s', (_, content, expected) =>
    expect(createErrors(objectOf(version, 'RoleBinding', content))).toEqual(expected),
  );

  it('in the cluster name the namespaces of accounts', () => {
    const binding = { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: 's' }] };
    expect(createErrors(objectOf(version, 'ClusterRoleBinding', binding))).toEqual([
      'subjects[0].namespace: Required value',
    ]);
  });

  it('keep their role', () => {
    const errors = updateErrors(objectOf(version, 'RoleBinding', { roleRef }), (object) => {
      object.roleRef.name = 'other';
    });
    expect(errors).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
    ]);
  });

  it('know the group of their role and users', () => {
    const binding = defaulted(objectOf(version, 'RoleBinding', { roleRef, subjects: [{ kind: 'Group', name: 'g' }] }));
    expect(binding.roleRef.apiGroup).toBe('rbac.authorization.k8s.io');
    expect(binding.subjects[0].apiGroup).toBe('rbac.authorization.k8s.io');
  });

  it('print their role, and their subjects by kind', () => {
    const subjects = [
      { kind: 'User', name: 'jane' },
      { kind: 'ServiceAccount', namespace: 'ns', name: 'sa' },
    ];
    expect(tableRow(created(objectOf(version, 'RoleBinding', { roleRef, subjects })))).toEqual([
      'x',
      'Role/r',
      '60m',
      'jane',
      '',
      'ns/sa',
    ]);
  });
});
