import { describe, expect, it } from 'vitest';
import { createErrors, createWarnings, defaulted, objectOf } from '../test-support.ts';

const version = 'admissionregistration.k8s.io/v1';
const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }];
const webhook = {
  name: 'a.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://127.0.0.1/x' },
  rules,
};
const configuration = (change: object) =>
  objectOf(version, 'ValidatingWebhookConfiguration', { webhooks: [{ ...webhook, ...change }] });
const policy = (kind: string, spec: object) =>
  objectOf(version, kind, { spec: { matchConstraints: { resourceRules: rules }, ...spec } });

describe('webhooks', () => {
  it.each<[string, object, string[]]>([
    ['are fine', {}, []],
    [
      'need a long name',
      { name: 'short' },
      ['webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots'],
    ],
    [
      'say what they change',
      { sideEffects: undefined },
      ['webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ],
    [
      'have conditions that are conditions',
      { matchConditions: [{ name: 'a', expression: '1' }] },
      ['webhooks[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int'],
    ],
  ])('%s', (_, change, expected) => expect(createErrors(configuration(change))).toEqual(expected));

  it('fail and wait by default', () => {
    expect(defaulted(configuration({})).webhooks[0]).toMatchObject({
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      matchPolicy: 'Equivalent',
    });
  });
});

describe('policies', () => {
  it.each<[string, object, string[]]>([
    ['are fine', { validations: [{ expression: 'object.metadata.name != ""' }] }, []],
    [
      'use their own variables',
      {
        variables: [{ name: 'n', expression: '1' }],
        validations: [{ expression: 'variables.n == 1' }, { expression: 'variables.m == 1' }],
      },
      [
        `spec.validations[1].expression: Invalid value: "variables.m == 1": compilation failed: ERROR: <input>:1:10: undefined field 'm'\n | variables.m == 1\n | .........^`,
      ],
    ],
    [
      'have params only when they name a kind of them',
      { validations: [{ expression: 'params.x == 1' }] },
      [
        `spec.validations[0].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
      ],
    ],
    [
      'annotate with text',
      { auditAnnotations: [{ key: 'k', valueExpression: '1' }] },
      [
        'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    const errors = createErrors(policy('ValidatingAdmissionPolicy', spec));
    expect(errors).toEqual(expected);
  });

  it('mutate with what they build', () => {
    const mutation = (expression: string) => ({
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    });
    expect(createErrors(policy('MutatingAdmissionPolicy', mutation('Object{spec: Object.spec{replicas: 1}}')))).toEqual(
      [],
    );
    expect(createErrors(policy('MutatingAdmissionPolicy', mutation('1')))).toEqual([
      'spec.mutations[0].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int',
    ]);
  });

  it('warn of names that are kept for files', () => {
    const named = { ...configuration({}), metadata: { name: 'a.static.k8s.io' } };
    expect(createWarnings(named)).toHaveLength(1);
  });
});
