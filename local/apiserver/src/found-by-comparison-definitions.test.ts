import { describe, expect, it } from 'vitest';
import {
  apply,
  compareSteps,
  crd,
  crds,
  message,
  type Step,
  version,
  widget,
  widgets,
} from './comparison-steps.cases.ts';
import { TestServer } from './test-support.ts';

const path = '/apis/example.com/v1/widgets';
const named = (names: { readonly plural: string; readonly kind: string; readonly [name: string]: unknown }): Step => ({
  send: ['POST', crds, crd(`${names.plural}.example.com`, { names, versions: [version('v1')] })],
  code: 201,
});
const status = (plural: string, answer: object): Step => ({
  send: ['GET', `${crds}/${plural}.example.com`],
  code: 200,
  answer: { status: answer },
  again: true,
});
const defaulted = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { a: { type: 'string' } } },
    status: {
      type: 'object',
      default: { phase: 'New' },
      properties: { phase: { type: 'string' }, count: { type: 'integer', default: 3 } },
    },
  },
};
const withStatus = { subresources: { status: {} } };
const filled = { phase: 'New', count: 3 };

describe('as a real server treats definitions and their objects,', () => {
  compareSteps({
    'names without a conflict are accepted beside one with a conflict, and the last conflict is reported': [
      named({ plural: 'widgets', kind: 'Widget' }),
      status('widgets', { acceptedNames: { kind: 'Widget' } }),
      named({ plural: 'gadgets', kind: 'Widget' }),
      status('gadgets', {
        acceptedNames: { plural: 'gadgets', kind: '' },
        conditions: [
          {
            type: 'NamesAccepted',
            status: 'False',
            reason: 'ListKindConflict',
            message: '"WidgetList" is already in use',
          },
          { type: 'Established', status: 'False', reason: 'NotAccepted' },
        ],
      }),
    ],
    'a name that is given up goes to the definition that waits for it': [
      named({ plural: 'widgets', kind: 'Widget', shortNames: ['w'] }),
      status('widgets', { acceptedNames: { shortNames: ['w'] } }),
      named({ plural: 'gadgets', kind: 'Gadget', shortNames: ['w', 'g'] }),
      status('gadgets', {
        acceptedNames: { plural: 'gadgets', kind: 'Gadget', listKind: 'GadgetList' },
        conditions: [{ reason: 'ShortNamesConflict' }, { reason: 'NotAccepted' }],
      }),
      {
        send: ['PATCH', `${crds}/widgets.example.com`, { spec: { names: { shortNames: ['x'] } } }],
        as: 'merge-patch+json',
        code: 200,
      },
      status('gadgets', { acceptedNames: { shortNames: ['w', 'g'] } }),
    ],
    'a definition is not named by generateName': [
      {
        send: ['POST', crds, { ...crd(''), metadata: { generateName: 'x' } }],
        code: 422,
        answer: message('metadata.generateName: Invalid value: "x": must be spec.names.plural+"."+spec.group'),
      },
    ],
    'absent versions are null in messages': [
      {
        send: ['POST', crds, crd('widgets.example.com')],
        code: 422,
        answer: message('spec.versions: Invalid value: null: must have exactly one version marked'),
      },
    ],
    'replicas that are no whole number are refused, whatever the schema says': [
      ...widgets(
        { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        { subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } } },
      ),
      {
        send: ['POST', path, widget({ name: 'a' }, { spec: { size: { b: true } } })],
        code: 422,
        answer: message(
          '.spec.size: Invalid value: 0: .spec.size accessor error: map[b:true] is of the type map[string]interface {}, expected int64',
        ),
      },
      {
        send: ['POST', path, widget({ name: 'a' }, { spec: 'x' })],
        code: 422,
        answer: message('.spec.size accessor error: x is of the type string, expected map[string]interface{}'),
      },
    ],
    'the default of a status is there whenever an object is read, and belongs to nobody': [
      ...widgets(defaulted, withStatus),
      { send: ['POST', path, widget({ name: 'a' }, { spec: { a: 'x' } })], code: 201, answer: { status: filled } },
      { send: ['GET', `${path}/a`], code: 200, answer: { status: filled } },
      {
        send: ['PATCH', `${path}/a/status`, { status: null }],
        as: 'merge-patch+json',
        code: 200,
        answer: { status: filled, metadata: { generation: 1 } },
      },
      apply(`${path}/a/status?fieldManager=s`, widget({ name: 'a' }, { status: { count: 9 } }), 200, {
        status: { phase: 'New', count: 9 },
      }),
    ],
  });

  it('watches of custom resources end with their definition, after the last object', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', crds, crd('widgets.example.com', { versions: [version('v1')] }));
    await expect.poll(() => server.send('GET', path), { timeout: 20_000 }).toMatchObject({ code: 200 });
    await server.ok('POST', path, widget({ name: 'a' }));
    using watch = await server.watch(`${path}?watch=1`);
    await server.ok('DELETE', `${crds}/widgets.example.com`);
    await expect.poll(() => watch.ended, { timeout: 20_000 }).toBe(true);
    expect(watch.lines).toEqual(['ADDED a', 'DELETED a']);
  });
});
