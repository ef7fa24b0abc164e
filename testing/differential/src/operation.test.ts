import { describe, expect, it } from 'vitest';
import { applyEdit, resolveOperation } from './operation.ts';

describe('an operation', () => {
  const path = '/api/v1/namespaces/x/configmaps/a';
  const known = new Map<string, unknown>([[path, { metadata: { uid: 'u', resourceVersion: '7' }, data: { a: '1' } }]]);

  it('names what a server made by where it was answered', () => {
    const body = { preconditions: { uid: `{{uid of ${path}}}`, resourceVersion: `{{version of ${path}}}` } };
    const resolved = resolveOperation({ method: 'DELETE', path: path.replace('x', '{{ns}}'), body }, 'x', known);
    expect(resolved).toEqual({ path, body: '{"preconditions":{"uid":"u","resourceVersion":"7"}}' });
  });

  it('sends what the server last answered, with its edits', () => {
    const edits = [{ at: '/data/b', value: '2' }, { at: '/data/a' }];
    const { body } = resolveOperation({ method: 'PUT', path, basedOn: path, edits }, 'x', known);
    expect(JSON.parse(body ?? '')).toEqual({ metadata: { uid: 'u', resourceVersion: '7' }, data: { b: '2' } });
  });

  it('edits lists by index, appends with a dash, and leaves the document alone', () => {
    const list = { items: [1, 2, 3] };
    expect(applyEdit(list, { at: '/items/1' })).toEqual({ items: [1, 3] });
    expect(applyEdit(list, { at: '/items/-', value: 4 })).toEqual({ items: [1, 2, 3, 4] });
    expect(list).toEqual({ items: [1, 2, 3] });
  });
});
