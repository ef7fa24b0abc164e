import { describe, expect, test } from 'vitest';
import { decodeProtobuf } from './decode-protobuf.ts';
import { readBody } from './read-body.ts';

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/\s/g, ''), 'hex'));

/** Protobuf by hand: a field with the bytes of a message, a text or a number. */
function field(number: number, content: Uint8Array | string | number): Buffer {
  if (typeof content === 'number') return Buffer.from([number << 3, ...varint(content)]);
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function object(apiVersion: string, kind: string, ...fields: Buffer[]): Uint8Array {
  const type = message(field(1, apiVersion), field(2, kind));
  return message(Buffer.from('k8s\0'), field(1, type), field(2, message(...fields)));
}

describe('an object in protobuf', () => {
  test('that kubectl sends for a new Deployment is the Deployment', () => {
    const bytes = fromHex(`
      6b3873000a150a07617070732f7631120a4465706c6f796d656e7412ba010a1f0a0377656212001a0022002a003200380042005a0a0a03
      61707012037765621288010802120c0a0a0a0361707012037765621a6e0a1c0a0012001a0022002a003200380042005a0a0a0361707012
      03776562124e12300a056e67696e7812076e67696e783a312a00320a0a001000185022002a0042006a007200800100880100900100a201
      001a00320042004a0052005800600068008201008a01009a0100c2010022020a00280038001a0c0800100018002000280038001a002200`);
    expect(decodeProtobuf(bytes)).toMatchObject({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web', labels: { app: 'web' }, creationTimestamp: null },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { spec: { containers: [{ name: 'nginx', image: 'nginx:1', ports: [{ containerPort: 80 }] }] } },
      },
    });
  });

  test('may be the options of a delete, which are in every group', () => {
    const fields = [field(1, 0), field(2, field(1, 'some-uid')), field(4, 'Background')];
    const expected = { gracePeriodSeconds: 0, preconditions: { uid: 'some-uid' }, propagationPolicy: 'Background' };
    expect(decodeProtobuf(object('v1', 'DeleteOptions', ...fields))).toMatchObject(expected);
    expect(decodeProtobuf(object('apps/v1', 'DeleteOptions', ...fields))).toMatchObject(expected);
  });

  test('keeps quantities, and numbers that may be texts', () => {
    const quota = fromHex(
      '6b3873000a130a027631120d5265736f7572636551756f746112410a110a017112001a0022002a00320038004200122a0a0a0a0363707512030a01310a0f0a066d656d6f727912050a033147690a0b0a04706f647312030a01331a001a002200',
    );
    expect(decodeProtobuf(quota).spec).toEqual({ hard: { cpu: '1', memory: '1Gi', pods: '3' } });
    const budget = fromHex(
      '6b3873000a200a09706f6c6963792f76311213506f6444697372757074696f6e42756467657412360a110a017012001a0022002a0032003800420012150a09080110001a0335302512080a060a01611201621a0a080018002000280030001a002200',
    );
    expect(decodeProtobuf(budget).spec).toEqual({ minAvailable: '50%', selector: { matchLabels: { a: 'b' } } });
  });

  test('keeps times, bytes, and negative and repeated numbers', () => {
    const time = message(field(1, 1714564800), field(2, 5));
    const secret = object('v1', 'Secret', field(1, field(8, time)), field(2, message(field(1, 'k'), field(2, 'v'))));
    expect(decodeProtobuf(secret)).toMatchObject({
      metadata: { creationTimestamp: '2024-05-01T12:00:00Z' },
      data: { k: 'dg==' },
    });
    const security = message(field(2, -1), field(4, 7), field(4, Buffer.from([8, 9])));
    const pod = object('v1', 'Pod', field(2, field(14, security)));
    expect(decodeProtobuf(pod).spec).toEqual({ securityContext: { runAsUser: -1, supplementalGroups: [7, 8, 9] } });
  });

  test('has embedded structs as separate messages', () => {
    const volume = message(field(1, 'v'), field(2, field(2, field(1, 'Memory'))));
    expect(decodeProtobuf(object('v1', 'Pod', field(2, field(1, volume)))).spec).toEqual({
      volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
    });
  });

  test('may hold schemas, and lists inside maps', () => {
    const schema = message(field(5, 'array'), field(24, field(1, field(5, 'string'))));
    const version = message(field(1, 'v1'), field(4, field(1, schema)));
    const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, field(7, version)));
    expect(decodeProtobuf(crd).spec).toEqual({
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'array', items: { type: 'string' } } } }],
    });
    const extra = message(field(1, 'scopes'), field(2, message(field(1, 'a'), field(1, 'b'))));
    const review = object('authorization.k8s.io/v1', 'SubjectAccessReview', field(2, field(5, extra)));
    expect(decodeProtobuf(review).spec).toEqual({ extra: { scopes: ['a', 'b'] } });
  });

  test('that is cut short or nonsense is refused', () => {
    const good = object('v1', 'ConfigMap', field(1, field(1, 'name')));
    expect(decodeProtobuf(good)).toMatchObject({ metadata: { name: 'name' } });
    for (let missing = 1; missing <= 'name'.length; missing++) {
      expect(() => decodeProtobuf(good.subarray(0, -missing))).toThrow('unexpected EOF');
    }
    expect(() => decodeProtobuf(object('v1', 'Nonsense'))).toThrow('no kind "Nonsense" is registered');
    expect(() => decodeProtobuf(object('v1', 'ConfigMap', field(1, 5)))).toThrow('proto: wrong wireType = 0');
  });

  test('is read like any other body', () => {
    const target = { group: '', version: 'v1', kind: 'ConfigMap', custom: false };
    const body = object('v1', 'ConfigMap', field(2, message(field(1, '__proto__'), field(2, 'x'))));
    const { value } = readBody(body, 'application/vnd.kubernetes.protobuf', target);
    expect(Object.keys((value as { data: object }).data)).toEqual(['__proto__']);
    const secret = object('v1', 'Secret');
    expect(() => readBody(secret, 'application/vnd.kubernetes.protobuf', target)).toThrow('unknown conversion');
  });
});
