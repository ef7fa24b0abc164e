import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { validateArrayIndices } from './validate-params.ts';

describe('items of arrays that are not there', () => {
  const params = [{ name: 'list', value: ['a'] }];
  const check = (task: object) => () => validateArrayIndices(task as TaskSpec, [], params);

  it.each<[string, object]>([
    ['$(params.list[1])', { steps: [{ name: 's', script: 'echo $(params.list[1])' }] }],
    ["$(params['list'][1])", { steps: [{ name: 's', command: ["$(params['list'][1])"] }] }],
    ['$(params["list"][99999999999999999999])', { stepTemplate: { image: '$(params["list"][99999999999999999999])' } }],
    ['$(params.list[2])', { sidecars: [{ name: 's', env: [{ name: 'E', value: '$(params.list[2])' }] }] }],
    [
      '$(params.list[3])',
      { volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: '$(params.list[3])' }] } }] },
    ],
  ])('are found, however they are called: %s', (reference, task) => {
    expect(check(task)).toThrow(`non-existent param references:[${reference}]`);
  });

  it.each<[string, object]>([
    ['a description', { description: '$(params.list[1])' }],
    ['what a step is shown as', { steps: [{ name: 's', displayName: '$(params.list[1])' }] }],
    ['a condition', { steps: [{ name: 's', when: [{ input: '$(params.list[1])', operator: 'in', values: [] }] }] }],
    ['an item that is there', { steps: [{ name: 's', args: ['$(params.list[0])'] }] }],
  ])('are not looked for in %s', (_, task) => {
    expect(check(task)).not.toThrow();
  });
});
