import { describe, expect, it } from 'vitest';
import { paramReplacements } from './param-replacements.ts';
import { replaceInTask } from './replace-in-task.ts';
import { replaceList, replaceText, replaceValue } from './replace-text.ts';
import { stringReplacements } from './replacements.ts';

const known = stringReplacements([
  ['params.a', 'A'],
  ['params.nested', '$(params.a)'],
  ['params["dotted.name"]', 'D'],
]);

describe('a text', () => {
  it.each([
    ['$(params.a)', 'A'],
    ['x$(params.a)y$(params.a)', 'xAyA'],
    ['$(params["dotted.name"])', 'D'],
    ['$(params.unknown)', '$(params.unknown)'],
    ['$(echo $(params.a))', '$(echo A)'],
    ['$(params.nested)', '$(params.a)'],
    ['$$(params.a)', '$A'],
    ['$(params.a', '$(params.a'],
    ['$()', '$()'],
    ['', ''],
  ])('%s becomes %s', (text, result) => {
    expect(replaceText(text, known)).toBe(result);
  });
});

const params = paramReplacements(
  [
    { name: 'list', type: 'array', default: ['x'] },
    { name: 'text', default: 'by default' },
    { name: 'other', default: 'see $(params.text)' },
    { name: 'object', type: 'object', default: { a: '1', b: '2' } },
  ],
  [
    { name: 'list', value: ['one', 'two'] },
    { name: 'object', value: { a: 'given' } },
    { name: 'none', value: [] },
  ],
  'task',
);

describe('arrays', () => {
  it('take the place of an item that is nothing but a reference to them', () => {
    expect(replaceList(['$(params.list[*])', 'and $(params.text)', '$(params["list"])'], params)).toEqual([
      'one',
      'two',
      'and by default',
      'one',
      'two',
    ]);
  });

  it('leave nothing when they are empty, and stay as they are inside of a text', () => {
    expect(replaceList(['a', '$(params.none[*])', 'x$(params.list[*])'], params)).toEqual(['a', 'x$(params.list[*])']);
  });

  it('give their items by index', () => {
    expect(replaceText('$(params.list[1]) $(inputs.params.list[0]) $(params.list[2])', params)).toBe(
      'two one $(params.list[2])',
    );
  });
});

describe('a value', () => {
  it('changes its type when it is nothing but a reference', () => {
    expect(replaceValue('$(params.list[*])', params)).toEqual(['one', 'two']);
    expect(replaceValue('$(params.object[*])', params)).toEqual({ a: 'given', b: '2' });
    expect(replaceValue('$(params.list[*])!', params)).toBe('$(params.list[*])!');
  });

  it('stays when it asks for all items of a text', () => {
    const text = stringReplacements([['tasks.a.results.r[*]', 'x']]);
    expect(replaceValue('$(tasks.a.results.r[*])', text)).toBe('$(tasks.a.results.r[*])');
    expect(replaceValue('so: $(tasks.a.results.r[*])', text)).toBe('so: x');
  });

  it('of an object is replaced key by key; keys that were not given have their defaults', () => {
    expect(replaceValue({ x: '$(params.object.a)', y: '$(params.object.b)' }, params)).toEqual({ x: 'given', y: '2' });
  });
});

it('a default may refer to another parameter', () => {
  expect(replaceText('$(params.other)', params)).toBe('see by default');
});

it('a Task is replaced where it may be, and nowhere else', () => {
  const replaced = replaceInTask(
    {
      steps: [
        {
          name: 'a',
          image: '$(params.text)',
          args: ['$(params.list[*])'],
          script: 'echo $(params.text) $(date)',
          timeout: '$(params.text)',
          env: [{ name: '$(params.text)', value: '$(params.text)' }],
          securityContext: { seLinuxOptions: { level: '$(params.text)' } },
        },
      ],
      volumes: [{ name: 'v', configMap: { name: '$(params.text)', items: [{ key: '$(params.text)', path: 'p' }] } }],
    },
    params,
  );
  expect(replaced).toEqual({
    steps: [
      {
        name: 'a',
        image: 'by default',
        args: ['one', 'two'],
        script: 'echo by default $(date)',
        timeout: '$(params.text)',
        env: [{ name: '$(params.text)', value: 'by default' }],
        securityContext: { seLinuxOptions: { level: '$(params.text)' } },
      },
    ],
    volumes: [{ name: 'v', configMap: { name: 'by default', items: [{ key: 'by default', path: 'p' }] } }],
  });
});
