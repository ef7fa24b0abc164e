import { describe, expect, it } from 'vitest';
import { runScenario } from '../run/run-scenario.ts';
import { fileScenario } from './file-scenario.ts';
import { readScenario } from './scenario-file.ts';

const object = '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }';

describe('a scenario file', () => {
  it('of manifests applies one after the other', () => {
    const { steps } = readScenario(`${object}\n---\n${object}\n`);
    expect(steps.map(({ type }) => type)).toEqual(['apply', 'apply']);
  });

  it('of steps has times, conditions and settings', () => {
    const file = readScenario(
      `replicas: 2\nsteps:\n- apply: ${object}\n- wait: 1m30s\n- until: ${object.replace('}}', '}, condition: Ready }').replace('} }', '}, condition: Ready }')}\ninterfere: { delete: [Pod] }\nrates: { lose: 1 }\n`,
    );
    expect(file.steps[1]).toEqual({ type: 'wait', milliseconds: 90_000 });
    expect(file.steps[2]).toMatchObject({ type: 'until', condition: 'Ready' });
    expect(file).toMatchObject({ replicas: 2, interference: { delete: ['Pod'] }, rates: { lose: 1 } });
  });

  it('states rules, which are checked over the whole run', async () => {
    const named = (name: string) =>
      `{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name}, namespace: default, labels: { slot: x } } }`;
    const failureOf = async (rule: string) => {
      const text = `steps:\n- apply: [${named('a')}, ${named('b')}]\nrates: {}\nrules: [${rule}]\n`;
      return (
        await runScenario(
          fileScenario(readScenario(text), () => []),
          { seed: 1, faults: [] },
        )
      ).failure?.oracle;
    };
    // Each of the four namespaces has one with the certificates of the cluster.
    expect(await failureOf('atMost: { kind: ConfigMap, count: 5 }')).toBe('never more than 5 of ConfigMap at once');
    expect(await failureOf('once: { kind: ConfigMap, label: slot }')).toBe('never two of ConfigMap with one slot');
    expect(await failureOf('once: { kind: ConfigMap, annotation: slot }')).toBeUndefined();
  });

  it.each([
    ['', 'it is empty'],
    ['steps: []', 'steps must be a list'],
    ['stpes: []', 'there is no field stpes'],
    ['steps: [{ fly: 1 }]', 'steps[0] must have one of apply'],
    ['steps: [{ wait: soon }]', 'steps[0].wait must be a time'],
    ['steps: [{ apply: { kind: A } }]', 'steps[0].apply must be an object'],
    ['steps: [{ wait: 1s }]\nrates: { rain: 1 }', 'rates.rain: there are'],
    ['steps: [{ wait: 1s }]\nrates: { lose: 2 }', 'rates.lose must be a number from 0 to 1'],
    ['steps: [{ wait: 1s }]\ninterfere: { delete: Pod }', 'interfere.delete must be a list of kinds'],
    ['steps: [{ wait: 1s }]\nrules: [never]', 'rules[0] must be atMost'],
    ['steps: [{ wait: 1s }]\nrules: [{ once: { kind: Pod } }]', 'rules[0] must be atMost'],
    ['steps: [{ wait: 1s }]\nreplicas: 0', 'replicas must be a number from 1 to 10'],
  ])('with an error is refused, and the field is named: %s', (text, message) => {
    expect(() => readScenario(text)).toThrow(message);
  });
});
