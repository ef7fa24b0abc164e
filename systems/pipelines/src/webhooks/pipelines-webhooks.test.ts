import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { admit, type Settings } from './test-support.ts';

const validation = 'admission webhook "validation.webhook.pipeline.tekton.dev" denied the request: validation failed: ';
const mutation = 'admission webhook "webhook.pipeline.tekton.dev" denied the request: mutation failed: ';

const object = (kind: string, spec: object, version = 'v1', metadata = {}): KubeObject =>
  ({ apiVersion: `tekton.dev/${version}`, kind, metadata: { name: 'x', ...metadata }, spec }) as KubeObject;
const step = (fields: object) => ({ steps: [{ name: 'a', image: 'i', ...fields }] });

async function denialOf(given: KubeObject, settings: Settings = {}, old?: KubeObject): Promise<string | undefined> {
  return (await admit(given, settings, old)).denial?.replace(validation, '');
}

const alpha = { 'feature-flags': { 'enable-api-fields': 'alpha' } };
const stable = { 'feature-flags': { 'enable-api-fields': 'stable' } };

describe('a Task', () => {
  it.each<[string, object, string]>([
    ['no steps', {}, 'missing field(s): spec.steps'],
    [
      'a mount below /tekton',
      step({ volumeMounts: [{ name: 'v', mountPath: '/tekton/../tekton/x/' }] }),
      'volumeMount cannot be mounted under /tekton/ (volumeMount "v" mounted at "/tekton/../tekton/x/"): spec.steps[0].volumeMounts[0].mountPath',
    ],
    ['a negative timeout', step({ timeout: '-90s' }), 'invalid value: -1m30s: spec.steps[0].negative timeout'],
    [
      'a workspace of a step that is not declared',
      step({ workspaces: [{ name: 'w', mountPath: '/w' }] }),
      'undefined workspace "w": spec.steps[0].workspaces[0].name',
    ],
    [
      'a result of a step in the wrong place',
      step({ image: '$(steps.b.results.c)' }),
      'stepResult substitutions are only allowed in env, command and args. Found usage in: spec.steps[0].image',
    ],
    [
      'an unknown context',
      step({ args: ['$(context.taskRun.colour)'] }),
      'non-existent variable in "$(context.taskRun.colour)": spec.steps[0].args[0]',
    ],
    [
      'an unknown result',
      step({ script: 'date > $(results.now.path)' }),
      'non-existent variable in "date > $(results.now.path)": spec.steps[0].script',
    ],
    [
      'an operator that is none',
      step({ when: [{ input: 'a', operator: 'is', values: ['a'] }] }),
      'invalid value: operator "is" is not recognized. valid operators: in,notin: spec.steps[0].when[0]',
    ],
    [
      'CEL, which is not switched on',
      step({ when: [{ cel: 'true' }] }),
      'feature flag enable-cel-in-whenexpression should be set to true to use CEL: true in WhenExpression: spec.steps[0].when[0]',
    ],
    [
      'an object without properties',
      { ...step({}), params: [{ name: 'o', type: 'object' }] },
      'missing field(s): spec.o.properties',
    ],
    [
      'an object as a whole in a text',
      { ...step({ args: ['$(params.o[*])'] }), params: [{ name: 'o', properties: { k: {} } }] },
      'variable type invalid in "$(params.o[*])": spec.steps[0].args[0]',
    ],
    [
      'an unknown key of an object',
      { ...step({ args: ['$(params.o.l)'] }), params: [{ name: 'o', properties: { k: {} } }] },
      'non-existent variable in "$(params.o.l)": spec.steps[0].args[0]',
    ],
    [
      'names of objects that are none',
      { ...step({}), params: [{ name: 'o.p', properties: { 'a.b': {} } }] },
      'Object param name and key name format is invalid: map[o.p:[a.b]]: spec.params\nObject Names: \nMust only contain alphanumeric characters, hyphens (-), underscores (_) \nMust begin with a letter or an underscore (_)',
    ],
    [
      'a reference with too many dots',
      step({ args: ['$(params.a.b.c)'] }),
      'Invalid referencing of parameters in "$(params.a.b.c)"! Only two dot-separated components after the prefix "params" are allowed.: spec.steps[0].args[0]',
    ],
  ])('with %s is refused', async (_, spec, message) => {
    expect(await denialOf(object('Task', spec))).toBe(message);
  });

  it('reports a list in a text of the first step as if it were in all that follow', async () => {
    const spec = {
      params: [{ name: 'l', type: 'array' }],
      steps: [
        { name: 'a', image: 'i', script: '$(params.l)' },
        { name: 'b', image: 'i' },
      ],
    };
    expect(await denialOf(object('Task', spec))).toBe(
      'variable type invalid in "$(params.l)": spec.steps[1].steps[0].script',
    );
  });

  it('of v1beta1 names the unknown variable, and reports a duplicate step in other words', async () => {
    const spec = {
      steps: [
        { name: 'a', image: 'i', script: '$(params.p)' },
        { name: 'a', image: 'i' },
      ],
    };
    expect(await denialOf(object('Task', spec, 'v1beta1'))).toBe(
      'invalid value: a: spec.steps[1].name\nnon-existent variable `p` in "$(params.p)": spec.steps[0].script',
    );
  });

  it('of v1beta1 with a template is not validated for fields that templates lack', async () => {
    const spec = { ...step({ params: [{ name: 'p', value: 'v' }] }), stepTemplate: { image: 'j' } };
    expect(await denialOf(object('Task', spec, 'v1beta1'))).toBeUndefined();
    expect(await denialOf(object('Task', spec))).toBe('params cannot be used without Ref: spec.steps[0].params');
  });

  it('has objects where properties are named, even if there are none', async () => {
    const spec = { ...step({}), params: [{ name: 'p', properties: {} }], results: [{ name: 'r', properties: {} }] };
    expect(await denialOf(object('Task', spec))).toBe(
      'missing field(s): spec.p.properties, spec.results[0].r.properties',
    );
    const action = { image: 'i', results: [{ name: 'r', properties: {} }] };
    expect(await denialOf(object('StepAction', action, 'v1beta1'))).toBe(
      'missing field(s): spec.results[0].r.properties',
    );
  });

  it('reports bad names of objects once, in the order of their names', async () => {
    const bad = (name: string, key: string) => ({ name, properties: { [key]: {} } });
    const spec = { ...step({}), params: [bad('a.b', 'k'), bad('a', 'l.m'), bad('a-b', 'n.o'), bad('a', 'p.q')] };
    expect(await denialOf(object('Task', spec))).toMatch(
      /^Object param name and key name format is invalid: map\[a:\[l\.m p\.q\] a-b:\[n\.o\] a\.b:\[\]\]: spec\.params/,
    );
  });

  it.each<[string, string | undefined]>([
    ["['a', 1].size() == 2", undefined],
    ["'a'.matches('(')", undefined],
    ["'a,b'.split(',').size() == 2", "undeclared reference to 'split' (in container '')"],
    ['[1].existsOne(x, x == 1)', "undeclared reference to 'existsOne' (in container '')"],
    ["{'a': 1}[?'a'] == 1", "unsupported syntax '[?'"],
  ])('understands CEL without what Kubernetes adds to it: %s', async (cel, expected) => {
    const settings = { 'feature-flags': { 'enable-cel-in-whenexpression': 'true' } };
    const refused = await denialOf(object('Task', step({ when: [{ cel }] })), settings);
    if (expected === undefined) expect(refused).toBeUndefined();
    else expect(refused).toContain(expected);
  });

  it('may use enums and CEL when they are switched on', async () => {
    const settings = { 'feature-flags': { 'enable-param-enum': 'true', 'enable-cel-in-whenexpression': 'true' } };
    const spec = {
      ...step({ when: [{ cel: "'a' == 'b'" }] }),
      params: [{ name: 'p', enum: ['a', 'a'], default: 'c' }],
    };
    expect(await denialOf(object('Task', spec), settings)).toBe(
      'param default value c not in the enum list: spec.params[p]\nparameter enum value a appears more than once: spec.params[p]',
    );
  });
});

describe('what is no Task at all', () => {
  it.each<[object, string]>([
    [step({ image: 5 }), 'json: cannot unmarshal number into Go struct field Step.spec.steps.image of type string'],
    [
      step({ env: 'E=1' }),
      'json: cannot unmarshal string into Go struct field Step.spec.steps.env of type []v1.EnvVar',
    ],
    [
      step({ onError: [] }),
      'json: cannot unmarshal array into Go struct field Step.spec.steps.onError of type v1.OnErrorType',
    ],
    [
      step({ ref: { params: 'x' } }),
      'json: cannot unmarshal string into Go struct field Ref.spec.steps.ref.ResolverRef.params of type v1.Params',
    ],
    [
      step({ timeout: 90 }),
      'json: cannot unmarshal number into Go struct field Step.spec.steps.timeout of type string',
    ],
    [step({ timeout: '90' }), 'time: missing unit in duration "90"'],
    [step({ timeout: 'fünf' }), 'time: invalid duration "f\\xc3\\xbcnf"'],
    [
      step({ computeResources: { limits: { cpu: {} } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('is refused in the words of Go: %o', async (spec, message) => {
    expect(await denialOf(object('Task', spec))).toBe(`${mutation}cannot decode incoming new object: ${message}`);
  });

  it('is refused when a parameter has no value, which Go only finds out when it prints', async () => {
    const reason = (version: string) =>
      `${mutation}cannot create patch for round tripped newBytes: cannot marshal interface: json: error calling MarshalJSON for type ${version}.ParamValue: impossible ParamValues.Type: ""`;
    const run = (version: string) => object('TaskRun', { taskRef: { name: 't' }, params: [{ name: 'p' }] }, version);
    expect(await denialOf(run('v1'))).toBe(reason('v1'));
    expect(await denialOf(run('v1beta1'))).toBe(reason('v1beta1'));
    const worse = object('TaskRun', { params: [{ name: 'p' }], retries: 'x' });
    expect(await denialOf(worse)).toContain('json: cannot unmarshal string into Go struct field');
  });

  it('is refused inside of a TaskRun when it has unknown fields, and put right when only the case is wrong', async () => {
    const run = (taskSpec: object) => object('TaskRun', { taskSpec });
    expect(await denialOf(run(step({ colour: 'red' })))).toBe(
      `${mutation}cannot decode incoming new object: json: unknown field "colour"`,
    );
    const { object: stored } = await admit(
      run({ Steps: [{ IMAGE: 'i', volumemounts: [{ name: 'v', mountpath: '/v' }] }] }),
    );
    expect(stored).toMatchObject({
      spec: { taskSpec: { steps: [{ name: '', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] } },
    });
  });

  it('is no way to change what all objects have in common', async () => {
    const spec = JSON.parse('{"taskSpec":{"steps":[{"image":"i"}],"__proto__":{"polluted":true}}}') as object;
    expect(await denialOf(object('TaskRun', spec))).toBe(
      `${mutation}cannot decode incoming new object: json: unknown field "__proto__"`,
    );
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a TaskRun', () => {
  const run = (spec: object, metadata = {}) => object('TaskRun', { taskRef: { name: 't' }, ...spec }, 'v1', metadata);

  it.each<[string, object, string, Settings]>([
    [
      'another status',
      { status: 'Nonsense' },
      'invalid value: Nonsense should be TaskRunCancelled or TaskRunPending: spec.status',
      {},
    ],
    [
      'a message without a status',
      { statusMessage: 'why' },
      'invalid value: statusMessage should not be set if status is not set, but it is currently set to why: spec.statusMessage',
      {},
    ],
    [
      'a resolver that is not switched on',
      { taskRef: { resolver: 'git' } },
      'resolver requires "enable-api-fields" feature gate to be "alpha" or "beta" but it is "stable": ',
      stable,
    ],
    [
      'a URL, which is not switched on',
      { taskRef: { name: 'https://x', resolver: 'http' } },
      'feature flag enable-concise-resolver-syntax should be set to true to use concise resolver syntax: spec.taskRef',
      {},
    ],
    [
      'two sources for a workspace',
      { workspaces: [{ name: 'w', emptyDir: {}, secret: { secretName: 's' } }] },
      'expected exactly one, got both: spec.workspaces[0].configmap, spec.workspaces[0].emptydir, spec.workspaces[0].persistentvolumeclaim, spec.workspaces[0].secret, spec.workspaces[0].volumeclaimtemplate',
      {},
    ],
    [
      'half a source for a workspace',
      { workspaces: [{ name: 'w', csi: { driver: '' } }] },
      'missing field(s): spec.workspaces[0].csi.driver',
      {},
    ],
    [
      'an empty breakpoint',
      { debug: { breakpoints: {} } },
      'invalid value: onFailure breakpoint is empty, it is only allowed to be set as enabled: spec.debug.breakpoints.onFailure',
      alpha,
    ],
    [
      'a variable that is not to be set',
      { podTemplate: { env: [{ name: 'HTTP_PROXY', value: 'x' }] } },
      'invalid value: PodTemplate cannot update a forbidden env: HTTP_PROXY: spec.PodTemplate.Env',
      { 'config-defaults': { 'default-forbidden-env': 'NO_PROXY, HTTP_PROXY' } },
    ],
  ])('with %s is refused', async (_, spec, message, settings) => {
    expect(await denialOf(run(spec), settings)).toBe(message);
  });

  it('may give parameters that its Task does not declare', async () => {
    const taskSpec = step({ args: ['$(params.given)'] });
    expect(await denialOf(object('TaskRun', { taskSpec, params: [{ name: 'given', value: 'v' }] }))).toBeUndefined();
    expect(await denialOf(object('TaskRun', { taskSpec }))).toBe(
      'non-existent variable in "$(params.given)": spec.steps[0].args[0]',
    );
  });

  it('gets what the settings say', async () => {
    const settings = {
      'config-defaults': {
        'default-timeout-minutes': '5',
        'default-service-account': 'builder',
        'default-managed-by-label-value': 'me',
        'default-resolver-type': 'hub',
        'default-pod-template': 'schedulerName: s\nenv:\n- {name: A, value: base}\n- {name: B, value: base}\n',
      },
    };
    const given = run(
      { taskRef: {}, podTemplate: { env: [{ name: 'A', value: 'own' }] } },
      { annotations: { 'chains.tekton.dev/signed': 'true' } },
    );
    const { object: stored } = await admit(given, settings);
    expect(stored).toMatchObject({
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } },
      spec: {
        timeout: '5m0s',
        serviceAccountName: 'builder',
        taskRef: { resolver: 'hub' },
        podTemplate: {
          schedulerName: 's',
          env: [
            { name: 'A', value: 'own' },
            { name: 'B', value: 'base' },
          ],
        },
      },
    });
    expect(stored?.metadata.annotations).toBeUndefined();
  });

  describe('once it is there', () => {
    const old = async (extra: object = {}) => ({ ...(await admit(run({}))).object, ...extra }) as KubeObject;
    const only = 'invalid value: Once the TaskRun has started, only status and statusMessage updates are allowed: spec';

    it('can be cancelled, and that is all', async () => {
      const before = await old();
      expect(await denialOf(run({ status: 'TaskRunCancelled', statusMessage: 'enough' }), {}, before)).toBeUndefined();
      expect(await denialOf(run({ timeout: '2h' }), {}, before)).toBe(only);
    });

    it('does not change who manages it', async () => {
      expect(await denialOf(run({ managedBy: 'me' }), {}, await old())).toBe(
        'invalid value: managedBy is immutable: spec.spec.managedBy',
      );
    });

    it('does not change at all when it is done', async () => {
      const done = await old({ status: { podName: '', conditions: [{ type: 'Succeeded', status: 'True' }] } });
      expect(await denialOf(run({ status: 'TaskRunCancelled' }), {}, done)).toBe(
        'invalid value: Once the TaskRun is complete, no updates are allowed: spec',
      );
      expect(await denialOf(run({}, { labels: { a: 'b' } }), {}, done)).toBeUndefined();
    });
  });
});

describe('a StepAction', () => {
  it.each<[string, object, string]>([
    ['no image', { command: ['ls'] }, 'missing field(s): spec.Image'],
    [
      'a parameter in its script',
      { image: 'i', script: 'echo $(params.p)', params: [{ name: 'p' }] },
      'param substitution in scripts is not allowed.: spec.script',
    ],
    [
      'a volume that it names itself',
      { image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] },
      'invalid value: v: spec.volumeMounts[0].name\nexpect the Name to be a single param reference',
    ],
  ])('with %s is refused', async (_, spec, message) => {
    expect(await denialOf(object('StepAction', spec, 'v1beta1'))).toBe(message);
  });

  it('of v1alpha1 has no defaults that go round in circles', async () => {
    const params = [
      { name: 'a', default: '$(params.b)' },
      { name: 'b', default: '$(params.a)' },
      { name: 'c', default: '$(params.ghost)' },
      { name: 'd', default: 'x' },
      { name: 'e', default: '$(params.d)' },
    ];
    expect(await denialOf(object('StepAction', { image: 'i', params }, 'v1alpha1'))).toBe(
      [
        'param "a" default value has a circular dependency: spec.params',
        'param "b" default value has a circular dependency: spec.params',
        'param "c" default value references param "ghost" which is not defined: spec.params',
      ].join('\n'),
    );
    expect(await denialOf(object('StepAction', { image: 'i', params }, 'v1beta1'))).toBeUndefined();
  });

  it('of v1alpha1 validates all defaults, those of parameters that are declared again too', async () => {
    const params = [{ name: 'a', default: '$(params.ghost)' }, { name: 'a' }];
    expect(await denialOf(object('StepAction', { image: 'i', params }, 'v1alpha1'))).toBe(
      'param "a" default value references param "ghost" which is not defined: spec.params\nparameter appears more than once: spec.params[a]',
    );
  });
});

it('names are those of labels', async () => {
  const named = (name: string) => denialOf(object('Task', step({}), 'v1', { name }));
  expect(await named('Not_A_Name')).toBe(
    'invalid resource name "Not_A_Name": must be a valid DNS label: metadata.name',
  );
  expect(await named('x'.repeat(64))).toBe(
    'Invalid resource name: length must be no more than 63 characters: metadata.name',
  );
});
