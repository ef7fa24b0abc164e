import { defineKind, s } from '@tektite/schema';
import { virtualClock } from '@tektite/testkit';
import { describe, expect, test } from 'vitest';
import { isControllerError } from '../controller-error.ts';
import { conversion, spoke } from './conversion.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { defaulting, defaultingWebhook } from './defaulting-webhook.ts';
import { ReviewHandler, type Webhook } from './review-handler.ts';
import { applyOperations } from './test-support.ts';
import { validating, validatingWebhook } from './validating-webhook.ts';

const names = { group: 'g.example.com', kind: 'Thing' };
const Thing = defineKind({ ...names, version: 'v1', fields: { spec: s.object({ size: s.integer().optional() }) } });
const OldThing = defineKind({
  ...names,
  version: 'v0',
  fields: { spec: s.object({ length: s.integer().optional() }) },
});

const thing = (spec: object, name = 't') => ({
  apiVersion: 'g.example.com/v1',
  kind: 'Thing',
  metadata: { name, namespace: 'n' },
  spec,
});
const request = (object: unknown, more: object = {}) => ({
  uid: 'u-1',
  kind: { group: 'g.example.com', version: 'v1', kind: 'Thing' },
  resource: { group: 'g.example.com', version: 'v1', resource: 'things' },
  name: 't',
  namespace: 'n',
  operation: 'CREATE',
  userInfo: { username: 'ada' },
  object,
  oldObject: null,
  dryRun: false,
  ...more,
});
const review = (object: unknown, more: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: request(object, more),
});
const conversionReview = (objects: unknown, desiredAPIVersion: unknown = 'g.example.com/v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u-2', desiredAPIVersion, objects },
});

const sized = defaultingWebhook({
  name: 'defaulting.g.example.com',
  rules: [
    defaulting(Thing, (object) =>
      object.spec.size === undefined ? { ...object, spec: { ...object.spec, size: 1 } } : object,
    ),
  ],
});
const checked = validatingWebhook({ name: 'validation.g.example.com', rules: [validating(Thing, () => undefined)] });
const converted = conversionWebhook({
  rules: [
    conversion({
      hub: Thing,
      spokes: [
        spoke(OldThing, Thing, {
          toHub: ({ spec, ...rest }) => {
            if (spec.length === undefined) throw new Error('no length');
            return { ...rest, spec: { size: spec.length } };
          },
          fromHub: ({ spec, ...rest }) => ({ ...rest, spec: spec.size === undefined ? {} : { length: spec.size } }),
        }),
      ],
    }),
  ],
});

async function ask(webhook: Webhook, body: unknown) {
  const { code, body: answer } = await new ReviewHandler([webhook]).handle(webhook.path, body);
  return { code, answer: answer as Record<string, unknown> & { response?: Record<string, unknown>; message?: string } };
}

describe('an answer to an admission review', () => {
  test('has the uid and the version of the question', async () => {
    for (const apiVersion of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']) {
      const { code, answer } = await ask(checked, { ...review(thing({})), apiVersion });
      expect(code).toBe(200);
      expect(answer).toEqual({ kind: 'AdmissionReview', apiVersion, response: { uid: 'u-1', allowed: true } });
    }
  });

  test('has a patch that makes the defaulted object, and none when nothing changes', async () => {
    const { answer } = await ask(sized, review(thing({})));
    expect(answer.response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    const patch = JSON.parse(Buffer.from(answer.response?.patch as string, 'base64').toString()) as never;
    expect(applyOperations(thing({}), patch)).toEqual(thing({ size: 1 }));
    expect((await ask(sized, review(thing({ size: 2 })))).answer.response).toEqual({ uid: 'u-1', allowed: true });
  });

  test('lets deletions and connections through a webhook of defaults', async () => {
    const { answer } = await ask(sized, review(null, { operation: 'DELETE', oldObject: thing({}) }));
    expect(answer.response).toEqual({ uid: 'u-1', allowed: true });
  });

  test.each([
    [
      'of another kind',
      sized,
      review(thing({}), { kind: { group: 'g.example.com', version: 'v1', kind: 'Other' } }),
      'mutation failed: unhandled kind: g.example.com/v1, Kind=Other',
    ],
    [
      'of another version',
      checked,
      review(thing({}), { kind: { group: 'g.example.com', version: 'v9', kind: 'Thing' } }),
      'decoding request failed: unhandled kind: g.example.com/v9, Kind=Thing',
    ],
    ['without the new object', sized, review(null), 'mutation failed: the new object may not be nil'],
    ['without the object to check', checked, review(null), 'validation failed: the new object may not be nil'],
    [
      'with a list for an object',
      sized,
      review([]),
      'mutation failed: cannot decode incoming new object: json: cannot unmarshal array into Go value of type v1.Thing',
    ],
    [
      'with a bad old object',
      checked,
      review(thing({}), { operation: 'UPDATE', oldObject: thing([]) }),
      'decoding request failed: cannot decode incoming old object: json: cannot unmarshal array into Go struct field Thing.spec of type struct',
    ],
    [
      'with metadata of a wrong type',
      checked,
      review({ ...thing({}), metadata: 'x' }),
      'decoding request failed: cannot decode incoming new object: json: cannot unmarshal string into Go struct field Thing.metadata of type struct',
    ],
  ])('refuses a request %s', async (_, webhook, body, message) => {
    const { code, answer } = await ask(webhook, body);
    expect(code).toBe(200);
    expect(answer.response).toMatchObject({
      uid: 'u-1',
      allowed: false,
      status: { code: 400, reason: 'BadRequest', message },
    });
  });
});

describe('what is no review', () => {
  const { request: whole, ...bare } = review(thing({}));
  test.each<[string, Webhook, unknown, string]>([
    ['nothing', checked, undefined, 'the body is no AdmissionReview but absent'],
    ['null', checked, null, 'the body is no AdmissionReview but null'],
    ['a list', checked, [], 'the body is no AdmissionReview but a list'],
    ['a number', checked, 7, 'the body is no AdmissionReview but a number'],
    ['another kind', checked, conversionReview([]), 'the body is no AdmissionReview: its kind is "ConversionReview"'],
    [
      'another version',
      checked,
      { ...bare, apiVersion: 'admission.k8s.io/v2' },
      'AdmissionReview of version "admission.k8s.io/v2"; known are admission.k8s.io/v1, admission.k8s.io/v1beta1',
    ],
    ['without a request', checked, bare, 'AdmissionReview.request must be an object, not absent'],
    [
      'with a text for a request',
      checked,
      { ...bare, request: 'x' },
      'AdmissionReview.request must be an object, not "x"',
    ],
    [
      'without a uid',
      checked,
      { ...bare, request: { ...whole, uid: undefined } },
      'AdmissionReview.request.uid must be a text, not absent',
    ],
    [
      'with an empty uid',
      checked,
      { ...bare, request: { ...whole, uid: '' } },
      'AdmissionReview.request.uid must be a text, not ""',
    ],
    [
      'with a number for a uid',
      checked,
      { ...bare, request: { ...whole, uid: 5 } },
      'AdmissionReview.request.uid must be a text, not a number',
    ],
    [
      'without a kind',
      checked,
      { ...bare, request: { ...whole, kind: null } },
      'AdmissionReview.request.kind must be an object, not null',
    ],
    [
      'with an unknown operation',
      checked,
      { ...bare, request: { ...whole, operation: 'READ' } },
      'AdmissionReview.request.operation: "READ" is none of CREATE, UPDATE, DELETE, CONNECT',
    ],
    [
      'an admission review for a conversion',
      converted,
      review(thing({})),
      'the body is no ConversionReview: its kind is "AdmissionReview"',
    ],
    ['a conversion of no list', converted, conversionReview({}), 'ConversionReview.request.objects must be a list'],
    [
      'a conversion to nowhere',
      converted,
      conversionReview([], null),
      'ConversionReview.request.desiredAPIVersion must be a text, not null',
    ],
  ])('is answered with what is wrong: %s', async (_, webhook, body, message) => {
    const { code, answer } = await ask(webhook, body);
    expect(code).toBe(400);
    expect(answer).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'BadRequest', message });
  });

  test('comes to a path where nothing is', async () => {
    const { code, body } = await new ReviewHandler([checked]).handle('/nowhere', review(thing({})));
    expect(code).toBe(404);
    expect(body).toMatchObject({ reason: 'NotFound', message: 'there is no webhook at "/nowhere"' });
  });
});

describe('an answer to a conversion review', () => {
  const old = (spec: object, name = 'a') => ({ ...thing(spec, name), apiVersion: 'g.example.com/v0' });

  test('has all objects in order, and those that need no conversion as they are', async () => {
    const { answer } = await ask(converted, conversionReview([old({ length: 3 }), thing({ size: 4 }, 'b')]));
    expect(answer).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: {
        uid: 'u-2',
        result: { metadata: {}, status: 'Success' },
        convertedObjects: [thing({ size: 3 }, 'a'), thing({ size: 4 }, 'b')],
      },
    });
  });

  test('goes the other way too', async () => {
    const { answer } = await ask(converted, conversionReview([thing({ size: 3 }, 'a')], 'g.example.com/v0'));
    expect(answer.response?.convertedObjects).toEqual([old({ length: 3 })]);
  });

  test.each([
    [
      'fails',
      [old({ length: 1 }), old({}, 'b')],
      'g.example.com/v1',
      'conversion failed to version v1 for type [kind=Thing group=g.example.com version=v0] -  no length',
      'n/b',
    ],
    [
      'is of an unknown kind',
      [{ ...old({}), kind: 'Other' }],
      'g.example.com/v1',
      'no conversion support for type [kind=Other group=g.example.com]',
      'n/a',
    ],
    [
      'is of an unknown version',
      [{ ...old({}), apiVersion: 'g.example.com/v7' }],
      'g.example.com/v1',
      'conversion not supported for type [kind=Thing group=g.example.com version=v7]',
      'n/a',
    ],
    [
      'is wanted in an unknown version',
      [old({})],
      'g.example.com/v7',
      'conversion not supported for type [kind=Thing group=g.example.com version=v7]',
      'n/a',
    ],
    ['is wanted in a version that is none', [old({})], 'v1', 'desired API version "v1" is not valid', 'n/a'],
    [
      'says nothing of its kind',
      [{ metadata: { name: 'a' } }],
      'g.example.com/v1',
      'invalid GroupVersionKind /, Kind=',
      'a',
    ],
    ['is no object', ['x'], 'g.example.com/v1', 'error parsing type meta "\\"x\\""', undefined],
  ])('names the object that %s', async (_, objects, desired, message, name) => {
    const { code, answer } = await ask(converted, conversionReview(objects, desired));
    expect(code).toBe(200);
    expect(answer.response).toMatchObject({ uid: 'u-2', convertedObjects: [], result: { status: 'Failure', message } });
    const result = answer.response?.result as { details?: { name?: string } } | undefined;
    expect(result?.details?.name).toBe(name);
  });
});

describe('a webhook', () => {
  const throwing = validatingWebhook({
    name: 'throwing.g.example.com',
    path: '/throwing',
    rules: [
      validating(Thing, (object) => {
        // A careless function would change the object: it is frozen.
        (object.spec as { size: number }).size = 5;
        return undefined;
      }),
    ],
  });

  test('that throws is a reported failure, and the next review is answered', async () => {
    const errors: Error[] = [];
    const handler = new ReviewHandler([throwing, checked], { onError: (error) => errors.push(error) });
    const { code, body } = await handler.handle('/throwing', review(thing({})));
    expect(code).toBe(500);
    expect((body as { message: string }).message).toMatch(
      /^webhook throwing\.g\.example\.com failed: Cannot add property size/,
    );
    expect(isControllerError(errors[0], 'WEBHOOK_FAILED')).toBe(true);
    expect((await handler.handle(checked.path, review(thing({})))).code).toBe(200);
  });

  test('that never answers times out, with an error', async () => {
    const clock = virtualClock();
    let signal: AbortSignal | undefined;
    const silent = validatingWebhook({
      name: 'silent.g.example.com',
      rules: [
        validating(Thing, (_, context) => {
          ({ signal } = context);
          return new Promise<undefined>(() => {});
        }),
      ],
    });
    const errors: Error[] = [];
    const handler = new ReviewHandler([silent], { clock, onError: (error) => errors.push(error) });
    const { code, body } = await clock.until(handler.handle(silent.path, review(thing({})), 5000));
    expect(code).toBe(504);
    expect(body).toMatchObject({
      reason: 'Timeout',
      message: 'Timeout: webhook silent.g.example.com gave no answer within 5000 ms',
    });
    expect(isControllerError(errors[0], 'WEBHOOK_TIMEOUT')).toBe(true);
    expect(signal?.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  test('is aborted when its caller disconnects', async () => {
    const gone = new AbortController();
    const waiting = validatingWebhook({
      name: 'waiting.g.example.com',
      rules: [validating(Thing, () => new Promise<undefined>(() => {}))],
    });
    const answer = new ReviewHandler([waiting]).handle(waiting.path, review(thing({})), 5000, gone.signal);
    gone.abort();
    expect((await answer).code).toBe(500);
  });

  test('needs a unique path that begins with a slash', () => {
    expect(() => new ReviewHandler([checked, checked])).toThrow('both want the path /resource-validation');
    expect(() => new ReviewHandler([{ ...checked, path: 'x' }])).toThrow('does not begin with a slash');
  });

  test('takes each kind once', () => {
    const rule = validating(Thing, () => undefined);
    expect(() => validatingWebhook({ name: 'x', rules: [rule, rule] })).toThrow(
      'two rules for g.example.com/v1, Kind=Thing',
    );
  });

  test('converts only versions of one kind', () => {
    const Other = defineKind({ ...names, kind: 'Other', version: 'v0', fields: {} });
    expect(() => spoke(Other, Thing, {} as never)).toThrow('Other of g.example.com is no version of Thing');
    const same = spoke(Thing, Thing, {} as never);
    expect(() => conversion({ hub: Thing, spokes: [same] })).toThrow('have the same name');
  });
});
