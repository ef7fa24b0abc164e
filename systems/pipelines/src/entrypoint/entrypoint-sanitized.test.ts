/** The same cases on the program with the address, leak and undefined behaviour sanitizers: any report fails a case. */
import { beforeAll, describe, test } from 'vitest';
import { credentialsCases } from './credentials.cases.ts';
import { encodingCases } from './encoding.cases.ts';
import { outcomeCases } from './outcome.cases.ts';
import { processCases } from './process.cases.ts';
import { programCases } from './programs.cases.ts';
import { substitutionCases } from './substitution.cases.ts';
import { canCompile, compileEntrypoint, type Lane } from './test-support.ts';

if (canCompile('-fsanitize=address,undefined')) {
  let lane: Lane;
  beforeAll(() => {
    lane = { program: compileEntrypoint('sanitized', '--sanitize'), wrapper: [], env: { ASAN_OPTIONS: 'exitcode=99' } };
  }, 120_000);

  describe('a step', () => outcomeCases(() => lane));
  describe('the process of a step', () => processCases(() => lane));
  describe('references and conditions', () => substitutionCases(() => lane));
  describe('credentials', () => credentialsCases(() => lane));
  describe('programs', () => programCases(() => lane));
  describe('encodings', () => encodingCases(() => lane));
} else {
  test.skip('there is no C compiler with sanitizers (Debian: gcc and its libasan)');
}
