import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { entrypointMissing, entrypointProgram } from './entrypoint-program.ts';
import { outcomeCases } from './outcome.cases.ts';
import { processCases } from './process.cases.ts';
import { compileEntrypoint, type Lane, Place } from './test-support.ts';

let lane: Lane;
beforeAll(() => {
  lane = { program: compileEntrypoint('plain'), wrapper: [], env: {} };
}, 60_000);

describe('a step', () => outcomeCases(() => lane));
describe('the process of a step', () => processCases(() => lane));
