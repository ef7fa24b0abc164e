import { describe, expect, it } from 'vitest';
import type { Matrix } from '../kinds/pipeline-spec.ts';
import { countCombinations, fanOut } from './matrix.ts';

const platforms = { name: 'platform', value: ['linux', 'mac'] };
const browsers = { name: 'browser', value: ['chrome', 'safari'] };
const texts = (matrix: Matrix) => fanOut(matrix).map((params) => params.map(({ value }) => value).join(' '));

describe('a matrix', () => {
  it('has a run for each combination; the last parameter changes slowest', () => {
    expect(texts({ params: [platforms, browsers] })).toEqual([
      'chrome linux',
      'chrome mac',
      'safari linux',
      'safari mac',
    ]);
  });

  it('gives more to those that an include matches', () => {
    const include = [
      {
        params: [platforms, { name: 'extra', value: 'e' }].map((p) => ({
          ...p,
          value: p.name === 'extra' ? 'e' : 'mac',
        })),
      },
    ];
    expect(texts({ params: [platforms], include })).toEqual(['linux', 'e mac']);
  });

  it('has one more run for an include that matches none', () => {
    const include = [{ params: [{ name: 'platform', value: 'bsd' }] }];
    const matrix = { params: [platforms], include };
    expect(texts(matrix)).toEqual(['linux', 'mac', 'bsd']);
    expect(countCombinations(matrix)).toBe(3);
  });

  it('may have nothing but includes', () => {
    const include = [{ params: [{ name: 'a', value: '1' }] }, { params: [{ name: 'b', value: '2' }] }];
    expect(texts({ include })).toEqual(['1', '2']);
    expect(countCombinations({ include })).toBe(2);
  });

  it('is counted without being made', () => {
    const value = Array.from({ length: 1000 }, String);
    const params = Array.from({ length: 10 }, (_, i) => ({ name: `p${i}`, value }));
    expect(countCombinations({ params })).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('whose values are not known yet counts as one', () => {
    expect(countCombinations({ params: [{ name: 'p', value: '$(tasks.a.results.r[*])' }] })).toBe(1);
  });
});
