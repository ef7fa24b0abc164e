import type { DynamicObject } from '@tektite/meta';
import { virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { InformerContent } from './informer-content.ts';

const object = (name: string, uid: string, resourceVersion: string): DynamicObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, uid, resourceVersion },
});

function start() {
  const content = new InformerContent<DynamicObject, DynamicObject>(virtualClock(), undefined, (error) => {
    throw error;
  });
  const delivered: string[] = [];
  const text = ({ metadata }: DynamicObject) => `${metadata.name} ${metadata.uid}@${metadata.resourceVersion}`;
  content.handlers.add({
    added: (object) => void delivered.push(`added ${text(object)}`),
    modified: (object) => void delivered.push(`modified ${text(object)}`),
    deleted: (object, { finalStateKnown }) =>
      void delivered.push(`deleted ${text(object)}${finalStateKnown ? '' : ' (unseen)'}`),
  });
  return { content, delivered };
}

describe('the content of an informer', () => {
  it('delivers only the difference when everything is listed again', () => {
    const { content, delivered } = start();
    for (const name of ['same', 'changed', 'replaced', 'lost']) content.put(object(name, 'u1', '1'), true);
    delivered.length = 0;
    content.startOver();
    content.put(object('same', 'u1', '1'), false);
    content.put(object('changed', 'u1', '2'), false);
    content.put(object('replaced', 'u2', '3'), false);
    content.put(object('new', 'u3', '4'), false);
    content.complete();
    expect(delivered).toEqual([
      'modified changed u1@2',
      'deleted replaced u1@1 (unseen)',
      'added replaced u2@3',
      'added new u3@4',
      'deleted lost u1@1 (unseen)',
    ]);
    expect(content.store.size).toBe(4);
  });

  it('delivers a deletion with the last state, and none of what it does not hold', () => {
    const { content, delivered } = start();
    content.put(object('a', 'u1', '1'), true);
    content.vanish({ namespace: 'default', name: 'a', uid: 'another' });
    content.remove('default/a', object('a', 'u1', '2'));
    content.remove('default/a', object('a', 'u1', '2'));
    expect(delivered).toEqual(['added a u1@1', 'deleted a u1@2']);
  });
});
