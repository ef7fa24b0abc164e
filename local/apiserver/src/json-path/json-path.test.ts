import { describe, expect, it } from 'vitest';
import { readAll } from './json-path.ts';

const object = {
  kind: 'Thing',
  metadata: { annotations: { 'example.com/x': 'v' } },
  spec: {
    name: 'n',
    size: 3,
    list: [{ a: 1 }, { a: 'two' }, { b: 3 }],
    words: ['x', 'y', 'z'],
    deep: { er: { name: 'inner' } },
    conditions: [
      { type: 'Other', status: 'False', count: 1 },
      { type: 'Ready', status: 'True', count: 2 },
    ],
  },
};

describe('a JSON path', () => {
  it.each<[string, unknown[]]>([
    ['.kind', ['Thing']],
    ['{.kind}', ['Thing']],
    ['.spec.nosuch.at.all', []],
    ['.metadata.annotations.example\\.com/x', ['v']],
    ["['spec']['name']", ['n']],
    ["['spec'].name", ['n']],
    ['.spec.list[*].a', [1, 'two']],
    ['.spec.list[0].a', [1]],
    ['.spec.list[-1].b', [3]],
    ['.spec.words[0:2]', ['x', 'y']],
    ['.spec.words[1:]', ['y', 'z']],
    ['.spec.words[::2]', ['x', 'z']],
    ['.spec.words[0,2]', ['x', 'z']],
    ["['kind','nosuch']", ['Thing']],
    ['.spec..name', ['n', 'inner']],
    ['.spec.conditions[?(@.type=="Ready")].status', ['True']],
    ["[?(@.type=='Ready')]", []],
    ['.spec.conditions[?(@.type!="Ready")].status', ['False']],
    ['.spec.conditions[?(@.count>1)].type', ['Ready']],
    ['.spec.conditions[?(@.count<=1)].type', ['Other']],
    ['.spec.conditions[?(@.nosuch)].type', []],
    ['.spec.conditions[?(@.nosuch=="a")].type', []],
  ])('%s reaches what it names', (path, expected) => {
    const root = path.startsWith('[?') ? [] : object;
    expect(readAll(root, path)).toEqual(expected);
  });

  it.each([
    ['.spec.words[5]', 'array index out of bounds: index 5, length 3'],
    ['.spec.name[0]', 'string is not array or slice'],
    ['.spec.conditions[?(@.count=="1")]', 'incompatible types'],
    ['.spec.words[x]', 'invalid array index x'],
    ['.spec.words[0', 'unterminated array'],
    ['.spec[?(@.a', 'unterminated filter'],
    ['#', 'unrecognized character'],
  ])('%s cannot be followed', (path, message) => {
    expect(() => readAll(object, path)).toThrow(message);
  });

  it('does not follow what objects inherit', () => {
    expect(readAll({}, '.constructor')).toEqual([]);
    expect(readAll({}, '.__proto__')).toEqual([]);
  });
});
