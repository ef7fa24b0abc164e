import { formatFieldError } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from './definition-check.ts';
import { unrecognizedFormats } from './unrecognized-format.ts';

const metadata = {
  decode: (value: unknown) => ({ metadata: value as Record<string, unknown>, unknown: [] }),
  validate: () => [],
};

type Loose = Record<string, unknown>;

function crd(schema: Loose, version: Loose = {}, spec: Loose = {}): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.x.example.com' },
    spec: {
      group: 'x.example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
    status: { storedVersions: ['v1'] },
  } as unknown as CustomResourceDefinition;
}

const root = 'spec.validation.openAPIV3Schema';
const field = (a: Loose): Loose => ({ type: 'object', properties: { spec: { type: 'object', properties: { a } } } });
const check = (definition: CustomResourceDefinition) =>
  validateCustomResourceDefinition(definition, metadata).map(formatFieldError);

describe('the schema of a definition', () => {
  it.each<[Loose, string[]]>([
    [{ properties: { a: { type: 'string' } } }, ['.type: Required value: must not be empty at the root']],
    [{ type: 'string' }, ['.type: Invalid value: "string": must be object at the root']],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      ['.additionalProperties: Forbidden: must not be used at the root'],
    ],
    [
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      [
        '.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      { type: 'object', definitions: { x: { type: 'string' } } },
      ['.definitions: Forbidden: definitions is not supported'],
    ],
    [
      { type: 'object', properties: { kind: { type: 'integer' } } },
      ['.properties[kind].type: Invalid value: "integer": must be string'],
    ],
  ])('is checked: %j', (schema, errors) => {
    expect(check(crd(schema))).toEqual(errors.map((error) => `${root}${error}`));
  });

  it.each<[Loose, string[]]>([
    [{ type: 'string' }, []],
    [{}, ['.type: Required value: must not be empty for specified object fields']],
    [{ type: 'array' }, ['.items: Required value: must be specified']],
    [{ type: 'array', items: {} }, ['.items.type: Required value: must not be empty for specified array items']],
    [{ $ref: '#/x' }, ['.$ref: Forbidden: $ref is not supported']],
    [{ type: 'string', anyOf: [{ type: 'string' }] }, ['.anyOf[0].type: Forbidden: must be empty to be structural']],
    [{ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, []],
    [{ type: 'object', allOf: [{ properties: { zz: { minimum: 1 } } }] }, []],
    [
      { type: 'integer', default: 'x' },
      ['.default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      { type: 'object', default: { zz: 1 }, properties: { b: { type: 'string' } } },
      ['.default: Invalid value: {"zz":1}: must not have unknown fields'],
    ],
    [
      { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 5' }] },
      ['.default: Invalid value: 1: failed rule: self > 5'],
    ],
    [
      { type: 'string', pattern: '(' },
      [
        '.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      ],
    ],
    [
      { type: 'null' },
      [
        '.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
        '.type: Forbidden: type cannot be set to null, use nullable as an alternative',
      ],
    ],
    [
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      ['.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
    ],
    [
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['z', 'z'],
        items: { type: 'object', properties: {} },
      },
      [
        '.x-kubernetes-list-map-keys: Invalid value: ["z","z"]: entries must all be names of item properties',
        '.x-kubernetes-list-map-keys: Invalid value: ["z","z"]: entries must all be names of item properties',
        '.x-kubernetes-list-map-keys: Invalid value: ["z","z"]: must not contain duplicate entries',
      ],
    ],
    [
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', properties: {} } },
      [
        '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
  ])('with a field %j', (schema, errors) => {
    const expected = errors.map((error) => `${root}.properties[spec].properties[a]${error}`);
    expect(check(crd(field(schema)))).toEqual(expected);
  });

  it('wants what a nested schema speaks of to be described outside', () => {
    const schema = { type: 'object', properties: {}, allOf: [{ properties: { zz: { minimum: 1 } } }] };
    expect(check(crd(schema))).toEqual([
      `${root}.properties[zz]: Required value: because it is defined in ${root}.allOf[0].properties[zz]`,
    ]);
  });
});

describe('the rules of a definition', () => {
  const withRule = (rule: Loose, more: Loose = { type: 'string' }) =>
    check(crd(field({ ...more, 'x-kubernetes-validations': [rule] })));
  const at = `${root}.properties[spec].properties[a].x-kubernetes-validations[0]`;
  const shown = (rule: string, message = '') =>
    `{"Rule":${JSON.stringify(rule)},"Message":"","MessageExpression":${JSON.stringify(message)},"Reason":null,"FieldPath":"","OptionalOldSelf":null}`;

  it.each<[Loose, string]>([
    [{ rule: '' }, '.rule: Required value: rule is not specified'],
    [{ rule: 'self' }, `.rule: Invalid value: ${shown('self')}: cel expression must evaluate to a bool`],
    [
      { rule: 'self == 1' },
      `.rule: Invalid value: ${shown('self == 1')}: compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, int)'\n | self == 1\n | .....^`,
    ],
    [
      { rule: 'true', messageExpression: '1 + 1' },
      `.messageExpression: Invalid value: ${shown('true', '1 + 1')}: messageExpression must evaluate to a string`,
    ],
    [
      { rule: 'true', reason: 'Nope' },
      '.reason: Unsupported value: "Nope": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
    [{ rule: 'true', message: 'a\nb' }, '.message: Invalid value: "a\\nb": must not contain line breaks'],
    [{ rule: 'true &&\ntrue' }, '.message: Required value: message must be specified if rule contains line breaks'],
    [
      { rule: 'self == "x"', optionalOldSelf: true },
      '.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
    [{ rule: 'true', fieldPath: '.x' }, '.fieldPath: Invalid value: ".x": must be a valid path'],
  ])('are checked: %j', (rule, error) => {
    expect(withRule(rule)).toEqual([`${at}${error}`]);
  });

  it('cannot use an old value that cannot be correlated', () => {
    const schema = field({
      type: 'array',
      maxItems: 3,
      items: { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    });
    const list = `${root}.properties[spec].properties[a]`;
    expect(check(crd(schema))).toEqual([
      `${list}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${list}`,
    ]);
  });

  it('may not cost too much', () => {
    const list = { type: 'array', items: { type: 'array', items: { type: 'string' } } };
    const rule = { rule: 'self.all(x, x.all(y, self.all(z, z.all(w, w == y))))' };
    const help =
      '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
    expect(withRule(rule, list)).toEqual([
      `${at}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${help}`,
      `${at}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `${root}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${help}`,
    ]);
    const bounded = {
      ...list,
      maxItems: 3,
      items: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 5 } },
    };
    expect(withRule(rule, bounded)).toEqual([]);
  });
});

describe('the rest of a definition', () => {
  const good = field({ type: 'string' });

  it.each<[string, Loose, Loose, string[]]>([
    [
      'group',
      {},
      { group: 'nodots' },
      [
        'metadata.name: Invalid value: "foos.x.example.com": must be spec.names.plural+"."+spec.group',
        'spec.group: Invalid value: "nodots": should be a domain with at least one dot',
      ],
    ],
    [
      'scope',
      {},
      { scope: 'Everywhere' },
      ['spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'names',
      {},
      { names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'Foo' } },
      ['spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same'],
    ],
    [
      'column type',
      { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] },
      {},
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      'column path',
      { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'a' }] },
      {},
      ['spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .'],
    ],
    [
      'scale',
      { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '' } } },
      {},
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".x": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'selectable field',
      { selectableFields: [{ jsonPath: '.spec.nosuch' }, { jsonPath: '.spec' }] },
      {},
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.nosuch": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[1].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      ],
    ],
    [
      'warning',
      { deprecationWarning: 'x' },
      {},
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      'conversion',
      {},
      { conversion: { strategy: 'Webhook' } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
    [
      'webhook url',
      {},
      {
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'http://x?a=b' }, conversionReviewVersions: ['v9'] },
        },
      },
      [
        'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
        'spec.conversion.webhookClientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL',
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'preserveUnknownFields',
      {},
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
  ])('%s', (_, version, spec, errors) => {
    expect(check(crd(good, version, spec))).toEqual(errors);
  });

  it('has one storage version, and each version once', () => {
    const version = { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: good } };
    const errors = check(crd(good, {}, { versions: [version, version] }));
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain('must contain unique version names');
    expect(errors[1]).toMatch(
      /^spec\.versions: Invalid value: \[\{"Name":"v1","Served":true,"Storage":false,.*"Schema":null,.*must have exactly one/,
    );
  });

  it('needs an approval in the groups of Kubernetes', () => {
    const definition = crd(good, {}, { group: 'x.k8s.io' });
    const named = { ...definition, metadata: { name: 'foos.x.k8s.io' } };
    expect(check(named)[0]).toContain('protected groups must have approval annotation "api-approved.kubernetes.io"');
    const approved = {
      ...named,
      metadata: { ...named.metadata, annotations: { 'api-approved.kubernetes.io': 'https://x/y' } },
    };
    expect(check(approved)).toEqual([]);
  });

  it('keeps versions that are stored', () => {
    const definition = { ...crd(good), status: { storedVersions: ['v0', 'v1'] } };
    expect(check(definition)[0]).toMatch(
      /^status\.storedVersions\[0\]: Invalid value: "v0": missing from spec\.versions; v0 was/,
    );
    expect(check({ ...definition, status: { storedVersions: [] } })).toEqual([
      'status.storedVersions: Invalid value: []: must have at least one stored version',
    ]);
  });

  it('warns of unknown formats', () => {
    expect(unrecognizedFormats(crd(field({ type: 'string', format: 'nosuchformat' })))).toEqual(['nosuchformat']);
    expect(unrecognizedFormats(crd(field({ type: 'string', format: 'date-time' })))).toEqual([]);
  });
});

describe('an update of a definition', () => {
  const good = field({ type: 'string' });
  const established = {
    ...crd(good),
    status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' as const }] },
  };

  it('cannot change what objects are stored by', () => {
    const changed = crd(
      good,
      {},
      { scope: 'Cluster', names: { plural: 'bars', singular: 'foo', kind: 'Bar', listKind: 'FooList' } },
    );
    const errors = validateCustomResourceDefinitionUpdate(changed, established, metadata).map(formatFieldError);
    expect(errors).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Bar": field is immutable',
      'spec.names.plural: Invalid value: "bars": field is immutable',
    ]);
  });

  it('ratchets errors that were there before', () => {
    const bad = field({ type: 'strung' });
    expect(validateCustomResourceDefinitionUpdate(crd(bad), { ...established, spec: crd(bad).spec }, metadata)).toEqual(
      [],
    );
    expect(validateCustomResourceDefinitionUpdate(crd(bad), established, metadata)).toHaveLength(1);
    expect(validateCustomResourceDefinitionStatus(established)).toEqual([]);
  });
});
