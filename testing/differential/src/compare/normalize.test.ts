import { describe, expect, it } from 'vitest';
import { differencesOf } from './difference.ts';
import { Normalizer } from './normalize.ts';

const object = (uid: string, resourceVersion: string) => ({
  code: 200,
  headers: { 'content-type': 'application/json', date: 'now' },
  body: { metadata: { uid, resourceVersion, creationTimestamp: '2026-01-02T03:04:05Z' } },
});
const [first, second] = ['4b8f5f0e-0000-4000-8000-000000000001', '4b8f5f0e-0000-4000-8000-000000000002'] as const;

describe('normalized answers', () => {
  it('are the same for servers that give other uids, versions and times', () => {
    const [one, other] = [new Normalizer('d-1'), new Normalizer('d-2')];
    const answer = one.normalize(object(first, '10'));
    expect(differencesOf(answer, other.normalize(object(second, '99')))).toEqual([]);
  });

  it('differ when one server changes the version of an object and the other does not', () => {
    const [one, other] = [new Normalizer('d-1'), new Normalizer('d-2')];
    one.normalize(object(first, '10'));
    other.normalize(object(second, '99'));
    const differences = differencesOf(one.normalize(object(first, '10')), other.normalize(object(second, '100')));
    expect(differences.map(({ at }) => at)).toEqual(['/body/metadata/resourceVersion']);
  });

  it('do not depend on the order of fields, but on that of lists', () => {
    const normalize = (body: unknown) => new Normalizer('d-1').normalize({ code: 200, headers: {}, body });
    expect(differencesOf(normalize({ a: 1, b: [1, 2] }), normalize({ b: [1, 2], a: 1 }))).toEqual([]);
    expect(differencesOf(normalize([1, 2]), normalize([2, 1]))).toHaveLength(2);
  });
});
