import { describe, expect, it } from 'vitest';
import { created, createErrors, createWarnings, defaulted, objectOf, tableRow, updateErrors } from '../test-support.ts';

const version = 'storage.k8s.io/v1';
const storageClass = (content: object) =>
  objectOf(version, 'StorageClass', { provisioner: 'example.com/p', ...content });

describe('StorageClasses', () => {
  it.each<[string, object, string[]]>([
    ['are fine', {}, []],
    ['need a provisioner', { provisioner: '' }, ['provisioner: Required value']],
    [
      'reclaim in known ways',
      { reclaimPolicy: 'Recycle' },
      ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
    ],
    [
      'bind in known ways',
      { volumeBindingMode: 'Nope' },
      ['volumeBindingMode: Unsupported value: "Nope": supported values: "Immediate", "WaitForFirstConsumer"'],
    ],
  ])('%s', (_, content, expected) => expect(createErrors(storageClass(content))).toEqual(expected));

  it('keep their parameters', () => {
    expect(
      updateErrors(storageClass({ parameters: { a: '1' } }), (object) => {
        object.parameters = { b: '2', a: '1' };
      }),
    ).toEqual(['parameters: Invalid value: {"a":"1","b":"2"}: field is immutable']);
  });

  it('show which is the default', () => {
    const metadata = { name: 'x', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
    expect(tableRow(created(storageClass({ metadata })))?.[0]).toBe('x (default)');
  });
});

it('a CSIDriver has defaults, and advice', () => {
  const driver = objectOf(version, 'CSIDriver', { spec: { tokenRequests: [{ audience: 'a' }] } });
  expect(defaulted(driver).spec).toMatchObject({ attachRequired: true, volumeLifecycleModes: ['Persistent'] });
  expect(createWarnings(driver)).toHaveLength(1);
});

it('a VolumeAttachment is about one volume', () => {
  expect(
    createErrors(objectOf(version, 'VolumeAttachment', { spec: { attacher: 'a', nodeName: 'n', source: {} } })),
  ).toEqual(['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName']);
});
