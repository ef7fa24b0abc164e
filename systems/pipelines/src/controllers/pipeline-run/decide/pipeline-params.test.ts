import { expect, it } from 'vitest';
import { replaceText, replaceValue } from '../../../substitution/replace-text.ts';
import { pipelineParams } from './pipeline-params.ts';

it('defaults may refer to others, through several', () => {
  const known = pipelineParams(
    [
      { name: 'a', default: '$(params.b)!' },
      { name: 'b', default: '$(params.c)-$(params.given)' },
      { name: 'c', default: 'c' },
      { name: 'list', type: 'array', default: ['$(params.a)', 'x'] },
      { name: 'object', type: 'object', default: { key: '$(params.c)' } },
    ],
    [{ name: 'given', value: 'g' }],
  );
  expect(replaceText('$(params.a) $(params["a"]) $(params.list[0]) $(params.object.key)', known)).toBe(
    'c-g! c-g! c-g! c',
  );
  expect(replaceValue('$(params.list[*])', known)).toEqual(['c-g!', 'x']);
});

it('an object is taken as the run gives it', () => {
  const known = pipelineParams(
    [{ name: 'o', type: 'object', default: { a: '1', b: '2' } }],
    [{ name: 'o', value: { a: 'x' } }],
  );
  expect(replaceText('$(params.o.a) $(params.o.b)', known)).toBe('x $(params.o.b)');
});

it.each([
  [
    'in a circle',
    [
      { name: 'a', default: '$(params.b)' },
      { name: 'b', default: '$(params.a)' },
    ],
    'parameter resolution failed: circular dependency detected in param "params.a"',
  ],
  [
    'to nothing',
    [{ name: 'a', default: '$(params.none)' }],
    'parameter resolution failed: param "params.a" references undefined param "params.none"',
  ],
  [
    'too deeply',
    Array.from({ length: 20 }, (_, i) => ({ name: `p${i}`, default: `$(params.p${i + 1})` })),
    'parameter resolution failed: maximum recursion depth (10) exceeded for param "params.p11"',
  ],
])('defaults that refer %s are refused', (_title, specs, message) => {
  expect(() => pipelineParams(specs, [])).toThrow(message);
});
