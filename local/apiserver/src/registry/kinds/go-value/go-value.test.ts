import { describe, expect, it } from 'vitest';
import { goDiff, goList, goValue } from './go-value.ts';

describe('values as Go prints them', () => {
  it('has every field, in order, capitalised', () => {
    expect(JSON.stringify(goValue('DeploymentStrategy', { type: 'Blue' }))).toBe(
      '{"Type":"Blue","RollingUpdate":null}',
    );
  });

  it('prints an absent list as null', () => {
    expect(goList('Toleration', undefined)).toBeNull();
    expect(JSON.stringify(goList('Toleration', [{ key: 'a' }]))).toBe(
      '[{"Key":"a","Operator":"","Value":"","Effect":"","TolerationSeconds":null}]',
    );
  });

  it('shows how a struct changed', () => {
    const diff = goDiff(
      'RoleRef',
      { apiGroup: 'g', kind: 'Role', name: 'a' },
      { apiGroup: 'g', kind: 'Role', name: 'b' },
    );
    expect(diff.split('\n').filter((line) => /^[-+] /.test(line))).toEqual(['- "Name": "a"', '+ "Name": "b"']);
  });
});
