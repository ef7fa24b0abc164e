import { describe, expect, it } from 'vitest';
import type { EventListenerObject } from '../kinds/event-listener.ts';
import type { TriggerObject } from '../kinds/trigger.ts';
import { decoded, objectsOf } from '../test-support.ts';
import { defaultEventListener, defaultInterceptorObject, defaultTrigger } from './default-trigger.ts';
import { validateClusterTriggerBinding, validateTriggerBinding } from './validate-binding.ts';
import { validateEventListener } from './validate-event-listener.ts';
import { validateInterceptorObject } from './validate-interceptor.ts';
import { validateTriggerTemplate } from './validate-template.ts';
import { validateTrigger } from './validate-trigger.ts';

const defaults = { serviceAccount: 'default' };

/** Reads, defaults and validates an object as the webhooks do. */
function review(kind: string, rest: string, version = 'v1beta1'): string {
  const name = rest.includes('metadata:') ? '' : 'metadata: {name: a}\n';
  const [object] = objectsOf(`apiVersion: triggers.tekton.dev/${version}\nkind: ${kind}\n${name}${rest}`);
  const read = decoded(object as never) as never;
  switch (kind) {
    case 'EventListener':
      return validateEventListener(defaultEventListener(read, defaults, version), version).toString();
    case 'Trigger':
      return validateTrigger(defaultTrigger(read, version), version).toString();
    case 'TriggerTemplate':
      return validateTriggerTemplate(read).toString();
    case 'TriggerBinding':
      return validateTriggerBinding(read).toString();
    case 'ClusterTriggerBinding':
      return validateClusterTriggerBinding(read).toString();
    default:
      return validateInterceptorObject(defaultInterceptorObject(read)).toString();
  }
}

const inline = 'template: {spec: {resourcetemplates: [{apiVersion: v1, kind: ConfigMap}]}}';
const listener = (trigger: string) => `spec: {triggers: [${trigger}]}`;
const withPod = (pod: string) =>
  `spec: {triggers: [{triggerRef: t}], resources: {kubernetesResource: {spec: {template: {spec: ${pod}}}}}}`;

describe('validation, in the words of upstream', () => {
  it.each([
    ['EventListener', listener('{triggerRef: t}'), ''],
    ['EventListener', listener(`{${inline}}`), ''],
    [
      'EventListener',
      'spec: {}',
      'expected exactly one, got neither: spec.labelSelector, spec.namespaceSelector, spec.triggerGroups, spec.triggers',
    ],
    [
      'EventListener',
      `metadata: {name: ${'a'.repeat(61)}}\n${listener('{triggerRef: t}')}`,
      `invalid value: eventListener name '${'a'.repeat(61)}' must be no more than 60 characters long: metadata.name`,
    ],
    [
      'EventListener',
      `metadata: {name: a, annotations: {tekton.dev/payload-validation: "no"}}\n${listener('{triggerRef: t}')}`,
      "invalid value: tekton.dev/payload-validation annotation must have value 'true' or 'false': metadata.annotations",
    ],
    [
      'EventListener',
      listener('{}'),
      'expected exactly one, got neither: spec.triggers[0].template, spec.triggers[0].triggerRef',
    ],
    [
      'EventListener',
      listener(`{triggerRef: t, ${inline}}`),
      'expected exactly one, got both: spec.triggers[0].template or bindings or interceptors, spec.triggers[0].triggerRef',
    ],
    [
      'EventListener',
      listener(`{name: "a b", ${inline}}`),
      "invalid value: trigger name 'a b' must be a valid label value: spec.triggers[0].name",
    ],
    [
      'EventListener',
      listener(`{${inline}, interceptors: [null]}`),
      "invalid value: interceptor '<nil>' must be a valid value: spec.triggers[0].interceptors[0]",
    ],
    [
      'EventListener',
      'spec: {triggerGroups: [{name: g, interceptors: [], triggerSelector: {}}]}',
      [
        'expected exactly one, got neither: spec.triggerGroups[0].triggerSelector.labelSelector, spec.triggerGroups[0].triggerSelector.namespaceSelector',
        'missing field(s): spec.triggerGroups[0].interceptors',
      ].join('\n'),
    ],
    [
      'EventListener',
      withPod('{hostNetwork: true, containers: [{image: x, env: [{name: TLS_KEY, value: a}]}]}'),
      [
        "Expected env's are TLS_CERT and TLS_KEY, but got only one env TLS_KEY: ",
        'must not set the field(s): spec.resources.kubernetesResource.spec.template.spec.containers[0].env[0].value, spec.resources.kubernetesResource.spec.template.spec.containers[0].image, spec.resources.kubernetesResource.spec.template.spec.hostNetwork',
      ].join('\n'),
    ],
    ['TriggerBinding', 'spec: {}', 'missing field(s): spec'],
    ['ClusterTriggerBinding', 'spec: {}', 'missing field(s): '],
    [
      'TriggerBinding',
      'spec: {params: [{name: a, value: "$(body.x $(body.y)"}]}',
      'invalid value: $(body.x $(body.y): spec.params[0].value',
    ],
    [
      'TriggerBinding',
      'spec: {params: [{name: a, value: x}, {name: a, value: z}]}',
      'expected exactly one, got both: spec.params[1].name',
    ],
    ['TriggerTemplate', 'spec: {}', 'missing field(s): spec, spec.resourcetemplates'],
    [
      'TriggerTemplate',
      'spec: {resourcetemplates: [{}, {apiVersion: v1, kind: ConfigMap, data: {a: $(tt.params.b)}}]}',
      [
        "invalid value: undeclared param '$(tt.params.b)': spec.resourcetemplates[1]",
        "'$(tt.params.b)' must be declared in spec.params",
        'missing field(s): spec.resourcetemplates[0].apiVersion, spec.resourcetemplates[0].kind',
      ].join('\n'),
    ],
    ['Trigger', 'spec: {}', 'expected exactly one, got neither: spec.template.ref, spec.template.spec'],
    [
      'Trigger',
      'spec: {template: {ref: t, apiversion: v2}, bindings: [{ref: a, kind: X}, {name: a}, {}], interceptors: [{}]}',
      [
        'expected exactly one, got neither: spec.bindings[2].name, spec.bindings[2].ref, spec.bindings[2].spec',
        'invalid value: invalid apiVersion: spec.template.apiVersion',
        'invalid value: invalid kind: spec.bindings[0].kind',
        'missing field(s): spec.bindings[1].value, spec.interceptors[0].interceptor',
      ].join('\n'),
    ],
    [
      'Trigger',
      'spec: {template: {ref: t}, interceptors: [{webhook: {objectRef: {kind: Pod}, header: [{name: x-a, value: ""}]}}]}',
      [
        'invalid value: invalid header name: spec.interceptors[0].interceptor.webhook.header[0].name',
        'invalid value: invalid header value: spec.interceptors[0].interceptor.webhook.header[0].value',
        'invalid value: invalid kind: spec.interceptors[0].interceptor.webhook.objectRef.kind',
        'missing field(s): spec.interceptors[0].interceptor.webhook.objectRef.apiVersion',
      ].join('\n'),
    ],
  ])('of %s %s', (kind, rest, message) => {
    expect(review(kind, rest)).toBe(message);
  });

  it('of v1alpha1 names the fields of Go and knows no groups', () => {
    expect(review('Trigger', 'spec: {template: {ref: t}, bindings: [{name: a}]}', 'v1alpha1')).toBe(
      'missing field(s): spec.bindings[0].Value',
    );
    expect(review('EventListener', 'spec: {triggers: []}', 'v1alpha1')).toBe(
      'expected exactly one, got neither: spec.labelSelector, spec.namespaceSelector, spec.triggers',
    );
    expect(() => review('EventListener', 'spec: {triggerGroups: []}', 'v1alpha1')).toThrow(
      'json: unknown field "triggerGroups"',
    );
  });

  it('of interceptors wants a complete Service and no URL beside it', () => {
    const rest = 'spec: {clientConfig: {url: "http://x", service: {name: "", namespace: ""}}}';
    expect(review('ClusterInterceptor', rest, 'v1alpha1')).toBe(
      [
        'expected exactly one, got both: spec.clientConfig.service, spec.clientConfig.url',
        'missing field(s): spec.clientConfig.service.name, spec.clientConfig.service.namespace',
      ].join('\n'),
    );
  });
});

describe('defaults', () => {
  it('name the account, the kinds of references and one replica', () => {
    const [object] = objectsOf(`
apiVersion: triggers.tekton.dev/v1beta1
kind: EventListener
metadata: {name: a}
spec:
  triggers: [{bindings: [{ref: b}], interceptors: [{ref: {name: cel}}], template: {ref: t}}]
  resources: {kubernetesResource: {replicas: 0}}`);
    const { spec } = defaultEventListener(decoded(object as never) as EventListenerObject, defaults, 'v1beta1');
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      triggers: [
        {
          bindings: [{ ref: 'b', kind: 'TriggerBinding' }],
          interceptors: [{ ref: { name: 'cel', kind: 'ClusterInterceptor' } }],
        },
      ],
      resources: { kubernetesResource: { replicas: 1 } },
      namespaceSelector: {},
    });
  });

  it('replace the deprecated interceptors of v1alpha1', () => {
    const [object] = objectsOf(`
apiVersion: triggers.tekton.dev/v1alpha1
kind: Trigger
metadata: {name: a}
spec: {template: {ref: t}, interceptors: [{github: {eventTypes: [push]}}, {cel: {filter: "true"}}]}`);
    const { spec } = defaultTrigger(decoded(object as never) as TriggerObject, 'v1alpha1');
    expect(spec.interceptors).toEqual([
      {
        ref: { name: 'github', kind: 'ClusterInterceptor' },
        params: [
          { name: 'secretRef', value: null },
          { name: 'eventTypes', value: ['push'] },
        ],
      },
      {
        ref: { name: 'cel', kind: 'ClusterInterceptor' },
        params: [
          { name: 'filter', value: 'true' },
          { name: 'overlays', value: null },
        ],
      },
    ]);
  });
});
