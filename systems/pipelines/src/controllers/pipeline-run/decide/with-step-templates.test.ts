import { expect, it } from 'vitest';
import { withStepTemplates } from './with-step-templates.ts';

const stepTemplate = { env: [{ name: 'A', value: 'template' }], workingDir: '/there' };
const taskSpec = {
  stepTemplate,
  steps: [
    { name: 'a', image: 'i', displayName: 'lost', workingDir: '/here' },
    { name: 'b', ref: { name: 'action' } },
  ],
};
const merged = {
  stepTemplate,
  steps: [{ name: 'a', image: 'i', ...stepTemplate, workingDir: '/here' }, taskSpec.steps[1]],
};

it('puts what templates say into the steps of Tasks within a Pipeline, but not of StepActions', () => {
  const spec = { tasks: [{ name: 't', taskSpec }], finally: [{ name: 'f', taskSpec }] };
  const expected = { tasks: [{ name: 't', taskSpec: merged }], finally: [{ name: 'f', taskSpec: merged }] };
  expect(withStepTemplates(spec)).toEqual(expected);
  expect(withStepTemplates(withStepTemplates(spec))).toEqual(expected);
});

it('does so in Pipelines within Pipelines', () => {
  const nested = (inner: object) => ({
    tasks: [{ name: 'p', pipelineSpec: { tasks: [{ name: 't', taskSpec: inner }] } }],
  });
  expect(withStepTemplates(nested(taskSpec))).toEqual(nested(merged));
});

it('leaves Pipelines without templates alone', () => {
  const spec = { tasks: [{ name: 't', taskRef: { name: 'task' } }] };
  expect(withStepTemplates(spec)).toBe(spec);
});
