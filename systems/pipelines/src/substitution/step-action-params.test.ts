import { describe, expect, it } from 'vitest';
import type { ParamSpec } from '../kinds/param.ts';
import type { StepActionSpec } from '../kinds/step-action-spec.ts';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import { applyStepAction, stepActionReplacements } from './step-action-params.ts';

const task: TaskSpec = { params: [{ name: 'who', default: 'world' }] };

/** The step that comes out. */
function resolve(step: Step, action: StepActionSpec): Step {
  return applyStepAction(
    step,
    action,
    stepActionReplacements(step, action, task, [{ name: 'list', value: ['x', 'y'] }]),
  );
}

const params = (...specs: ParamSpec[]) => specs;

describe('a step that refers to a StepAction', () => {
  it('does what that says, with its own name and settings', () => {
    const step: Step = { name: 's', ref: { name: 'act' }, onError: 'continue', timeout: '1m0s' };
    const action: StepActionSpec = { description: 'd', image: 'i', script: 'echo', results: [{ name: 'r' }] };
    expect(resolve(step, action)).toEqual({
      name: 's',
      onError: 'continue',
      timeout: '1m0s',
      image: 'i',
      script: 'echo',
      results: [{ name: 'r' }],
    });
  });

  it('has no say in its security', () => {
    const step = { name: 's', ref: { name: 'act' }, securityContext: { runAsUser: 1 } };
    expect(resolve(step, { image: 'i' })).toEqual({ name: 's', image: 'i' });
    expect(resolve(step, { image: 'i', securityContext: { runAsUser: 2 } }).securityContext).toEqual({ runAsUser: 2 });
  });

  it('gives parameters, in which those of the Task are replaced', () => {
    const action: StepActionSpec = {
      params: params({ name: 'p' }, { name: 'l', type: 'array' }, { name: 'd', default: 'by default' }),
      args: ['$(params.p)', '$(params.l[*])', '$(params.l[1])', '$(params.d)'],
    };
    const step = {
      params: [
        { name: 'p', value: 'hello $(params.who)' },
        { name: 'l', value: '$(params.list[*])' },
      ],
    };
    expect(resolve(step, action).args).toEqual(['hello world', 'x', 'y', 'y', 'by default']);
  });

  it('gives keys of objects; others keep their defaults', () => {
    const action: StepActionSpec = {
      params: params({ name: 'o', type: 'object', properties: { a: {}, b: {} }, default: { a: '1', b: '2' } }),
      env: [{ name: 'E', value: '$(params.o.a)$(params.o.b)' }],
    };
    expect(resolve({ params: [{ name: 'o', value: { a: 'given' } }] }, action).env).toEqual([
      { name: 'E', value: 'given2' },
    ]);
  });

  it('passes results of earlier steps on to the entrypoint', () => {
    const action: StepActionSpec = {
      params: params(
        { name: 'text', type: 'string' },
        { name: 'list', type: 'array' },
        { name: 'map', type: 'object', properties: { key: {} } },
      ),
      args: ['$(params.text)', '$(params.list[*])', '$(params.list[2])', '$(params.map.key)'],
    };
    const step = {
      params: [
        { name: 'text', value: '$(steps.a.results.t)' },
        { name: 'list', value: '$(steps.a.results.l[*])' },
        { name: 'map', value: '$(steps.a.results.m[*])' },
      ],
    };
    expect(resolve(step, action).args).toEqual([
      '$(steps.a.results.t)',
      '$(steps.a.results.l[*])',
      '$(steps.a.results.l[2])',
      '$(steps.a.results.m.key)',
    ]);
  });

  it('lets defaults refer to each other, in whatever order', () => {
    const action: StepActionSpec = {
      params: params({ name: 'c', default: '$(params.b)!' }, { name: 'b', default: '<$(params.a)>' }, { name: 'a' }),
      args: ['$(params.c)'],
    };
    expect(resolve({ params: [{ name: 'a', value: 'v' }] }, action).args).toEqual(['<v>!']);
  });

  it.each<[string, ParamSpec[], Step, string]>([
    [
      'more than is asked for',
      [],
      { params: [{ name: 'x', value: '' }] },
      'extra params passed by Step to StepAction: [x]',
    ],
    ['less than is asked for', params({ name: 'x' }, { name: 'y' }), {}, 'non-existent params in Step: [x y]'],
    [
      'a circle of defaults',
      params({ name: 'x', default: '$(params.y)' }, { name: 'y', default: '$(params.x)' }),
      {},
      'circular dependency detected in parameter references',
    ],
    [
      'a default that refers to nothing',
      params({ name: 'x', default: '$(params.none)' }),
      {},
      'parameter "x" references non-existent parameter "none"',
    ],
    [
      'a text for a list',
      params({ name: 'x', type: 'array', default: ['a'] }),
      { params: [{ name: 'x', value: 'text' }] },
      'invalid parameter substitution: x. Please check the types of the default value and the passed value',
    ],
    [
      'a text for a list whose name has a hyphen',
      params({ name: 'x-y', type: 'array', default: ['a'] }),
      { params: [{ name: 'x-y', value: 'text' }] },
      'invalid parameter substitution: inputs.params.x-y. Please check the types of the default value and the passed value',
    ],
    [
      'a list for a text that would be that of another',
      params({ name: 'x', default: '$(params.y)' }, { name: 'y', default: 'z' }),
      { params: [{ name: 'x', value: ['a'] }] },
      'invalid parameter substitution: x. Please check the types of the default value and the passed value',
    ],
  ])('is refused for %s', (_title, specs, step, message) => {
    expect(() => resolve(step, { params: specs })).toThrow(message);
  });
});
