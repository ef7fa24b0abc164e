import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@tektite/meta';
import { describe, expect, test } from 'vitest';
import {
  detailedError,
  disallowedField,
  genericError,
  invalidArrayValue,
  invalidKeyName,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
  outOfBounds,
} from './field-error-kinds.ts';
import { FieldErrors } from './field-errors.ts';

describe('field errors', () => {
  test.each([
    ['a missing field', missingField('steps').viaField('spec'), 'missing field(s): spec.steps'],
    [
      'a field that must not be set',
      disallowedField('bundle').viaField('spec', 'taskRef'),
      'must not set the field(s): spec.taskRef.bundle',
    ],
    ['a bad value', invalidValue(-1, 'retries').viaField('spec'), 'invalid value: -1: spec.retries'],
    [
      'a bad value with details',
      invalidValue('"what"', 'onError', 'Task step onError must be either "continue" or "stopAndFail"').viaFieldIndex(
        'steps',
        1,
      ),
      'invalid value: "what": steps[1].onError\nTask step onError must be either "continue" or "stopAndFail"',
    ],
    ['a bad list as Go prints it', invalidValue(['a', 'b'], 'x'), 'invalid value: [a b]: x'],
    ['a bad map as Go prints it', invalidValue({ b: 1, a: null }, 'x'), 'invalid value: map[a:<nil> b:1]: x'],
    ['a bad element', invalidArrayValue('z', 'list', 3), 'invalid value: z: list[3]'],
    ['a bad key', invalidKeyName('a b', 'name', 'one', 'two'), 'invalid key name "a b": name\none, two'],
    [
      'none of several',
      missingOneOf('taskSpec', 'taskRef').viaField('spec'),
      'expected exactly one, got neither: spec.taskRef, spec.taskSpec',
    ],
    [
      'more than one of several',
      multipleOneOf('name').viaFieldKey('params', 'a').viaField('spec'),
      'expected exactly one, got both: spec.params[a].name',
    ],
    [
      'a number out of bounds',
      outOfBounds(343, 0, 256, 'matrix').viaFieldIndex('tasks', 0).viaField('spec'),
      'expected 0 <= 343 <= 256: spec.tasks[0].matrix',
    ],
    ['no path at all', genericError('debug requires alpha'), 'debug requires alpha: '],
    ['the value itself', genericError('wrong', '').viaIndex(2).viaField('steps'), 'wrong: steps[2]'],
    ['an index at the root', genericError('wrong', 'bar').viaField('foo').viaIndex(0), 'wrong: [0].foo.bar'],
    ['lists of lists', genericError('wrong', 'bar').viaIndex(0).viaIndex(1).viaField('foo'), 'wrong: foo[1][0].bar'],
    [
      'a key with a dot, as upstream has it',
      genericError('wrong', 'v').viaFieldKey('params', 'a.b'),
      'wrong: params.[a.b].v',
    ],
  ])('report %s', (_, errors, text) => {
    expect(errors.toString()).toBe(text);
  });

  test('with the same message are printed once, with all paths, in order', () => {
    const errors = missingField('b').also(missingField('a', 'c'), invalidValue(1, 'z'), missingField('a'));
    expect(errors.toString()).toBe('invalid value: 1: z\nmissing field(s): a, b, c');
  });

  test('with different details stay separate', () => {
    const errors = detailedError({ message: 'm', paths: ['b'], details: 'two' }).also(
      detailedError({ message: 'm', paths: ['a'], details: 'one' }),
    );
    expect(errors.toString()).toBe('m: a\none\nm: b\ntwo');
  });

  test('are sorted by code points, as Go does', () => {
    expect(genericError('m', '\u{1F600}', '\uFF5E', 'z').toString()).toBe('m: z, \uFF5E, \u{1F600}');
  });

  test('keep a path that one of them names twice', () => {
    expect(missingField('a', 'a').toString()).toBe('missing field(s): a, a');
    expect(missingField('a').also(missingField('a', 'a')).toString()).toBe('missing field(s): a');
  });

  test('are no errors when there is nothing in them', () => {
    expect(noFieldErrors.also(undefined, noFieldErrors).isEmpty).toBe(true);
    expect(noFieldErrors.viaField('spec').toString()).toBe('');
  });

  test('can be warnings, apart from what refuses', () => {
    const errors = missingField('a').at('warning').also(missingField('b'));
    expect(errors.filter('warning').toString()).toBe('missing field(s): a');
    expect(errors.filter('error').toString()).toBe('missing field(s): b');
    expect(errors.toString()).toBe('missing field(s): b\nmissing field(s): a');
  });

  test('are not changed by what is made of them', () => {
    const errors = missingField('b', 'a');
    errors.viaField('spec').also(missingField('c')).toString();
    expect(errors.errors).toEqual([{ level: 'error', message: 'missing field(s)', paths: ['b', 'a'], details: '' }]);
  });
});

const golden = join(import.meta.dirname, '../../../../../shared/golden/tekton/cases');

describe.skipIf(!existsSync(golden))('what real Tekton answered (read from ../shared; skipped when absent)', () => {
  test('equals merging and sorting the single errors', () => {
    const random = seededRandom(3);
    const texts = denials().filter((text) => text.split('\n').every((line) => /: (spec[\w.[\]*]*(, |$))+$/.test(line)));
    expect(texts.length).toBeGreaterThan(40);
    for (const text of texts) {
      const single = text.split('\n').flatMap((line) => {
        const at = line.lastIndexOf(': ');
        return line
          .slice(at + 2)
          .split(', ')
          .map((path) => genericError(line.slice(0, at), path.replace(/^spec\.?/, '')));
      });
      const shuffled = single.map((errors) => ({ errors, at: random.next() })).sort((a, b) => a.at - b.at);
      const errors = shuffled.reduce((all, each) => all.also(each.errors.viaField('spec')), new FieldErrors([]));
      expect(errors.toString()).toBe(text);
    }
  });
});

function denials(): string[] {
  const marker = 'denied the request: validation failed: ';
  return readdirSync(golden)
    .filter((group) => group.startsWith('invalid-'))
    .flatMap((group) => readdirSync(join(golden, group)).map((name) => join(golden, group, name, 'expected.json')))
    .flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as { outcome: { message?: string }[] }).outcome)
    .flatMap(({ message }) =>
      message?.includes(marker) ? [message.slice(message.indexOf(marker) + marker.length)] : [],
    );
}

test('masses of errors are merged quickly', () => {
  const errors = Array.from({ length: 100_000 }, (_, index) => missingField('name').viaFieldIndex('steps', index));
  const all = new FieldErrors(errors.flatMap((errors) => errors.errors));
  const started = performance.now();
  expect(all.merged()).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(5000);
});
