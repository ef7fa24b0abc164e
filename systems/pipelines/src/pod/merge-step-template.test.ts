import { expect, it } from 'vitest';
import { mergeStepTemplate } from './merge-step-template.ts';

const env = (...names: string[]) => names.map((name) => ({ name, value: name.toLowerCase() }));

it('keeps variables of the template before those they precede', () => {
  const merged = mergeStepTemplate(
    { env: env('KEEP_THIS', 'SOME_KEY') },
    {
      env: [
        { name: 'NEW_KEY', value: 'new' },
        { name: 'SOME_KEY', value: 'step' },
      ],
    },
  );
  expect(merged.env).toEqual([
    { name: 'NEW_KEY', value: 'new' },
    { name: 'KEEP_THIS', value: 'keep_this' },
    { name: 'SOME_KEY', value: 'step' },
  ]);
});

it('puts what the template alone has at the end, when nothing relates them', () => {
  expect(mergeStepTemplate({ env: env('A') }, { env: env('B') }).env?.map(({ name }) => name)).toEqual(['B', 'A']);
});

it('takes a source over a value of the template, not both', () => {
  const valueFrom = { fieldRef: { fieldPath: 'metadata.name' } };
  expect(mergeStepTemplate({ env: env('A') }, { env: [{ name: 'A', valueFrom }] }).env).toEqual([
    { name: 'A', valueFrom },
  ]);
});

it('merges objects to the bottom, and lets the step win', () => {
  const merged = mergeStepTemplate(
    {
      image: 'template',
      securityContext: { runAsUser: 1, privileged: true },
      args: ['a'],
      computeResources: { limits: { cpu: '1' } },
    },
    { image: 'step', securityContext: { runAsUser: 2 }, args: [], computeResources: { limits: { memory: '1Gi' } } },
  );
  expect(merged).toEqual({
    image: 'step',
    securityContext: { runAsUser: 2, privileged: true },
    args: [],
    computeResources: { limits: { cpu: '1', memory: '1Gi' } },
  });
});
