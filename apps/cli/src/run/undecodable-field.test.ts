import { describe, expect, it } from 'vitest';
import { nameOfAnotherType, undecodableField } from './undecodable-field.ts';

const task = (spec: object) => ({ apiVersion: 'tekton.dev/v1', kind: 'Task', metadata: { name: 'build' }, spec });

describe('what a server cannot decode is found in the object', () => {
  it.each([
    [
      'a name that YAML read as a bool',
      { params: [{ name: 'a' }, { name: false }] },
      'json: cannot unmarshal bool into Go struct field ParamSpec.spec.params.name of type string',
      ['spec', 'params', 1, 'name'],
      'spec.params[1].name must be a string, not the bool false; YAML reads y, n, yes, no, on and off as bools; quote it',
    ],
    [
      'a number in place of text',
      { steps: [{ name: 'a', workingDir: 7 }] },
      'json: cannot unmarshal number into Go struct field Step.spec.steps.workingDir of type string',
      ['spec', 'steps', 0, 'workingDir'],
      'spec.steps[0].workingDir must be a string, not the number 7; quote it',
    ],
    [
      'a duration',
      { description: 'abc', steps: [{ name: 'abc', timeout: 'abc' }] },
      'mutation failed: cannot decode incoming new object: time: invalid duration "abc"',
      ['spec', 'steps', 0, 'timeout'],
      'spec.steps[0].timeout must be a time, as 30s or 1h30m, not "abc"',
    ],
  ])('names the place of %s', (_title, spec, message, path, sentence) => {
    expect(undecodableField(task(spec), message)).toEqual({ path, message: sentence });
  });

  it('unless the message is about something else', () => {
    expect(undecodableField(task({}), 'validation failed: missing field(s): spec.steps')).toBeUndefined();
  });
});

it('finds names that YAML did not read as text, but not in values, which are free', () => {
  expect(nameOfAnotherType(task({ steps: [{ name: true }] }))?.path).toEqual(['spec', 'steps', 0, 'name']);
  expect(nameOfAnotherType(task({ params: [{ name: 'a', default: { name: true } }] }))).toBeUndefined();
});
