import { expect, it } from 'vitest';
import type { TaskRun } from '../kinds/task-run.ts';
import { pipelineParams } from '../controllers/pipeline-run/decide/pipeline-params.ts';
import { replaceTaskVariables } from '../controllers/task-run/decide/task-variables.ts';
import { replaceList, replaceText } from './replace-text.ts';
import { stringReplacements } from './replacements.ts';
import { withinLimit } from './size-limit.ts';

const tooMuch = expect.objectContaining({
  name: 'RunFailure',
  reason: 'Why',
  message: '[User error] its variables stand for more text than an object can hold',
});
const large = stringReplacements([['params.x', 'x'.repeat(1_000_000)]]);
const run = (work: () => unknown) => {
  try {
    return withinLimit('Why', work);
  } catch (error) {
    return error;
  }
};

it('ends work that puts more into texts than an object can hold, and starts again with the next', () => {
  for (let round = 0; round < 3; round++)
    expect(run(() => replaceText('$(params.x)'.repeat(10), large))).toHaveLength(10_000_000);
  expect(run(() => replaceText('$(params.x)'.repeat(20), large))).toEqual(tooMuch);
  const list = Array.from({ length: 20 }, () => '$(params.x)');
  expect(run(() => replaceList(list, large))).toEqual(tooMuch);
  expect(run(() => list.map((item) => withinLimit('Other', () => replaceText(item, large))))).toEqual(tooMuch);
});

it('counts the items of arrays', () => {
  const arrays = new Map([['params.a', Array.from({ length: 1000 }, () => 'y'.repeat(1000))]]);
  const replacements = { strings: new Map(), arrays, objects: new Map() };
  const list = Array.from({ length: 20 }, () => '$(params.a[*])');
  expect(run(() => replaceList(list, replacements))).toEqual(tooMuch);
});

it('ends a run whose defaults double each other', () => {
  const params = Array.from({ length: 30 }, (_, index) => ({
    name: `p${index}`,
    default: index === 0 ? 'x'.repeat(100) : `$(params.p${index - 1})`.repeat(2),
  }));
  expect(run(() => pipelineParams(params as never, []))).toEqual(tooMuch);
  const task = { params, steps: [{ name: 's', image: 'i', args: ['$(params.p29)'] }] };
  const taskRun = { metadata: { name: 'r', namespace: 'n' }, spec: {} } as unknown as TaskRun;
  expect(() => replaceTaskVariables(task as never, taskRun, 't')).toThrow('more text than an object can hold');
});
