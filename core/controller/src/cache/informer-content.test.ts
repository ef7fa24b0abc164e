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
  const told: string[] = [];
  const text = ({ metadata }: DynamicObject) => `${metadata.name} ${metadata.uid}@${metadata.resourceVersion}`;
  content.handlers.add({
    added: (object) => void told.push(`added ${text(object)}`),
    modified: (object) => void told.push(`modified ${text(object)}`),
    deleted: (object, { finalStateKnown }) =>
      void told.push(`deleted ${text(object)}${finalStateKnown ? '' : ' (unseen)'}`),
  });
  return { content, told };
}

describe('the content of an informer', () => {
  it('tells only the difference when everything is told again from the start', () => {
    const { content, told } = start();
    for (const name of ['same', 'changed', 'replaced', 'lost']) content.put(object(name, 'u1', '1'), true);
    told.length = 0;
    content.startOver();
    content.put(object('same', 'u1', '1'), false);
    content.put(object('changed', 'u1', '2'), false);
    content.put(object('replaced', 'u2', '3'), false);
    content.put(object('new', 'u3', '4'), false);
    content.complete();
    expect(told).toEqual([
      'modified changed u1@2',
      'deleted replaced u1@1 (unseen)',
      'added replaced u2@3',
      'added new u3@4',
      'deleted lost u1@1 (unseen)',
    ]);
    expect(content.store.size).toBe(4);
  });

  it('tells a deletion with the last state, and none of what it does not hold', () => {
    const { content, told } = start();
    content.put(object('a', 'u1', '1'), true);
    content.vanish({ namespace: 'default', name: 'a', uid: 'another' });
    content.remove('default/a', object('a', 'u1', '2'));
    content.remove('default/a', object('a', 'u1', '2'));
    expect(told).toEqual(['added a u1@1', 'deleted a u1@2']);
  });
});
