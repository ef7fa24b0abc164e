import { isStatusError, type StatusError } from '@tektite/meta';
import { describe, expect, test } from 'vitest';
import { strictErrorWarnings } from './strict-error-warnings.ts';
import { readBody } from './read-body.ts';

const configMap = { group: '', version: 'v1', kind: 'ConfigMap', custom: false };
const custom = { group: 'prune.example.com', version: 'v1', kind: 'Pr', custom: true };

function failure(text: string, { contentType = 'application/json', target = configMap } = {}): StatusError['status'] {
  try {
    readBody(new TextEncoder().encode(text), contentType, target);
  } catch (error) {
    if (isStatusError(error)) return error.status;
    throw error;
  }
  throw new Error('it was read');
}

describe('a body that cannot be read', () => {
  const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const noKind = `${unrecognized}couldn't get version/kind; json parse error: `;
  const goStruct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  test.each([
    ['{"apiVersion":"v1",', `${noKind}unexpected end of JSON input ({"apiVersion":"v1",)`],
    ['', `${noKind}unexpected end of JSON input (<empty>)`],
    ['[]', `${noKind}json: cannot unmarshal array into Go value of type ${goStruct} (5b5d)`],
    ['"x"', `${noKind}json: cannot unmarshal string into Go value of type ${goStruct} (227822)`],
    ['{"kind":5}', `${noKind}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`],
    ['{"KIND":5}', `${noKind}json: cannot unmarshal number into Go struct field .kind of type string ({"KIND":5})`],
    [
      '{"apiVersion":"a/b/c","kind":"ConfigMap"}',
      `${unrecognized}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`,
    ],
    [
      '{"kind":"Secret"}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"kind":"Foo"}',
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      '{"apiVersion":"v2"}',
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])('is reported as Go does: %s', (text, message) => {
    expect(failure(text)).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test('names the error in YAML', () => {
    expect(failure('apiVersion: v1\nkind: ConfigMap\n\tbad', { contentType: 'application/yaml' }).message).toBe(
      `${unrecognized}yaml: line 3: found a tab character that violates indentation (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)`,
    );
  });

  test('is of a kind whose other version is served', () => {
    const target = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', custom: false };
    expect(failure('{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}', { target }).message).toBe(
      'the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)',
    );
  });

  test('is a custom resource without its kind, or of another version', () => {
    expect(failure('{}', { target: custom }).message).toBe(
      "the object provided is unrecognized (must be of type Pr): Object 'Kind' is missing in '{}' ({})",
    );
    expect(failure('{"kind":"Pr"}', { target: custom }).message).toBe(
      'the API version in the data () does not match the expected API version (prune.example.com/v1)',
    );
  });

  test('has an unsupported format', () => {
    for (const contentType of ['text/plain', 'application/xml', 'nonsense']) {
      expect(failure('{}', { contentType })).toMatchObject({
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      });
    }
    expect(
      failure('{"apiVersion":"v1","kind":"ConfigMap"}', { contentType: 'application/vnd.kubernetes.protobuf' }).message,
    ).toBe(
      `${unrecognized}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"apiVersion":"v1","kind":"Con ...)`,
    );
  });
});

describe('a body that can be read', () => {
  const read = (text: string, contentType?: string) => readBody(new TextEncoder().encode(text), contentType, configMap);

  test('need not say what it is when the path says it', () => {
    expect(read('{"data":{}}').value).toEqual({ data: {} });
    expect(read('null', 'application/json; charset=utf-8').value).toBeNull();
  });

  test('may be YAML, of which the first document counts', () => {
    expect(read('kind: ConfigMap\ndata: {a: b}\n---\n[', 'application/yaml').value).toEqual({
      kind: 'ConfigMap',
      data: { a: 'b' },
    });
  });

  test('keeps what strict reading says of YAML, which becomes one warning for each line', () => {
    const { strictErrors } = read('data:\n  a: "1"\n  a: "2"\n  a: "3"\n', 'application/yaml');
    expect(strictErrors?.flatMap(strictErrorWarnings)).toEqual([
      'line 3: key "a" already set in map',
      'line 4: key "a" already set in map',
    ]);
    expect(strictErrorWarnings('unknown field "x"')).toEqual(['unknown field "x"']);
  });

  test('may be an object of this process, which stays its owner’s', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } };
    const { value } = readBody(object, undefined, configMap);
    expect(value).toEqual(object);
    (value as typeof object).data.a = '2';
    expect(object.data.a).toBe('1');
  });
});
