import { parseYaml } from '@tektite/schema/yaml';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { yamlText } from './yaml-text.ts';

it('prints objects as kubectl does', () => {
  const object = {
    kind: 'Task',
    metadata: { name: 'a', labels: { on: 'yes', 'a/b': '1' } },
    spec: { steps: [{ name: 'x', script: 'echo a\necho b\n', args: ['-c', ''] }], params: [], more: {} },
  };
  expect(yamlText(object)).toBe(
    'kind: Task\nmetadata:\n  name: a\n  labels:\n    "on": "yes"\n    a/b: "1"\nspec:\n  steps:\n  - name: x\n    script: |\n      echo a\n      echo b\n    args:\n    - "-c"\n    - ""\n  params: []\n  more: {}\n',
  );
});

it('is read back as the same object, whatever the texts are', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary-ascii' }),
    fc.constantFrom('true', '012', '1e3', 'a: b', '- x', '\n', 'a\n\n', ' a\nb', '\u202ea', '2026-01-01', 'a\u2028b'),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(text, tie('any'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      (object) => {
        expect(parseYaml(yamlText(object))[0]?.value).toEqual(object);
      },
    ),
  );
});
