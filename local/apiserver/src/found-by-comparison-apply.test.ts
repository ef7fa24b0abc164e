import { describe, expect } from 'vitest';
import {
  apply,
  compareSteps,
  configMap,
  coreV1,
  message,
  type Step,
  widget,
  widgets,
} from './comparison-steps.cases.ts';

const items = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } };
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        texts: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};
const path = '/apis/example.com/v1/widgets/a';
const applied = (spec: unknown, code: number, answer?: object): Step =>
  apply(path, widget({ name: 'a' }, { spec }), code, answer);

const deployment = '/apis/apps/v1/namespaces/default/deployments';
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
const deployed: Step = {
  send: [
    'POST',
    deployment,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
    },
  ],
  code: 201,
};
const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 3 } };

describe('as a real server applies configurations,', () => {
  compareSteps({
    'the first unknown field of an object ends the check of it': [
      apply(
        `${coreV1}/pods/a`,
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { nothing: 1, hostNetwork: 'x' } },
        500,
        message('(/a; /v1, Kind=Pod): .spec.nothing: field not declared in schema'),
      ),
    ],
    'elements of sets are scalars': [
      ...widgets(schema),
      applied(
        { set: [null] },
        500,
        message("element 0: associative list without keys has an element that's an explicit null"),
      ),
      applied({ set: [{}] }, 500, message("element 0: associative list without keys has an element that's a map type")),
      applied({ set: [[]] }, 500, message('element 0: not supported: associative list with lists as elements')),
    ],
    'an element of a list-map is no null, but its key may be': [
      ...widgets(schema),
      applied({ map: [null] }, 500, message('element 0: associative list with keys may not have a null element')),
      applied({ map: [{ k: null }] }, 422, message('spec.map[0].k: Invalid value: "null"')),
    ],
    'nulls of custom resources meet the validation': [
      ...widgets(schema),
      applied(null, 422, message('spec: Invalid value: "null": spec in body must be of type object')),
      applied({ texts: { a: null } }, 422, message('spec.texts.a: Invalid value: "null"')),
      applied({ set: ['a'] }, 201),
      applied({}, 422, message('spec: Invalid value: "null"')),
    ],
    'duplicate keys of YAML are warned of, each by its line': [
      {
        ...apply(
          `${coreV1}/configmaps/a`,
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "1", a: "2"}\n',
          201,
        ),
        headers: { warning: ['299 - "line 4: key \\"a\\" already set in map"'] },
      },
    ],
    'a Scale without metadata conflicts with the owner of the replicas': [
      deployed,
      apply(`${deployment}/a/scale?fieldManager=s`, scale, 409, {
        details: { causes: [expect.objectContaining({ field: '.spec.replicas' })] },
      }),
    ],
    'a Scale has its kind and its name': [
      deployed,
      apply(
        `${deployment}/a/scale?fieldManager=s&force=true`,
        { ...scale, metadata: { name: 'b' } },
        400,
        message('the name of the object (b) does not match the name on the URL (a)'),
      ),
      apply(
        `${deployment}/a/scale?fieldManager=s&force=true`,
        { ...scale, apiVersion: 'apps/v1', kind: 'Deployment' },
        400,
        message('invalid object type: apps/v1, Kind=Deployment'),
      ),
    ],
    'a null is a map without content: it adds nothing, and takes away what its manager had applied': [
      { send: ['POST', `${coreV1}/configmaps`, configMap({ name: 'a', labels: { a: 'b' } })], code: 201 },
      apply(`${coreV1}/configmaps/a`, configMap({ name: 'a', labels: null }), 200, {
        metadata: { labels: { a: 'b' } },
      }),
      apply(`${coreV1}/configmaps/a`, configMap({ name: 'a', labels: { c: 'd' } }), 200),
      apply(`${coreV1}/configmaps/a`, configMap({ name: 'a', labels: null }), 200, {
        metadata: { labels: { a: 'b' } },
      }),
    ],
    'an object without owners that breaks its schema cannot get any': [
      {
        send: [
          'POST',
          `${coreV1}/serviceaccounts`,
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' }, secrets: [{}] },
        ],
        code: 201,
      },
      apply(
        `${coreV1}/serviceaccounts/a`,
        { apiVersion: 'v1', kind: 'ServiceAccount' },
        500,
        message(
          'failed to create manager for existing fields: failed to convert new object (default/a; /v1, Kind=ServiceAccount) to smd typed',
        ),
      ),
    ],
    'configurations without metadata are those of the path': [
      apply(`${coreV1}/configmaps/a`, configMap({ name: 'a' }), 201),
      apply(`${coreV1}/configmaps/a`, { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }, 200),
    ],
  });
});
