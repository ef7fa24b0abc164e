import { expect, it } from 'vitest';
import { completeSteps, type Steps } from './steps.ts';

async function* inner(): Steps<boolean> {
  yield [{ isTrue: 'PreInstall' }];
  return true;
}

it('collects the marks of all steps, in order, and the outcome', async () => {
  async function* steps(): Steps<string> {
    if (!(yield* inner())) return 'stopped';
    yield [{ isTrue: 'ComponentsReady' }];
    return 'installed';
  }
  expect(await completeSteps(steps())).toEqual({
    marks: [{ isTrue: 'PreInstall' }, { isTrue: 'ComponentsReady' }],
    outcome: 'installed',
  });
});

it('reports an error with the marks of the steps before it', async () => {
  const failure = new Error('the server is down');
  async function* steps(): Steps<string> {
    yield* inner();
    await Promise.reject(failure);
    return 'installed';
  }
  expect(await completeSteps(steps())).toEqual({ marks: [{ isTrue: 'PreInstall' }], error: failure });
});
