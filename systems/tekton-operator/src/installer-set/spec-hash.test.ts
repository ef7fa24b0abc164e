import { createHash } from 'node:crypto';
import { printAsGo } from '@tektite/schema';
import { expect, it } from 'vitest';
import { TektonTrigger } from '../kinds/kinds.ts';
import { specHash, structJson } from './spec-hash.ts';

const schema = TektonTrigger.schema?.properties?.spec;

it('fields are in the order of the structs, maps in that of their keys', () => {
  const spec = {
    networkPolicy: {},
    config: { priorityClassName: 'p', nodeSelector: { b: '2', a: '<1>' } },
    'enable-api-fields': 'stable',
    disabled: false,
    options: {},
    targetNamespace: 'tekton',
  };
  expect(structJson(spec, schema)).toBe(
    '{"targetNamespace":"tekton","disabled":false,"enable-api-fields":"stable","options":{},' +
      '"config":{"nodeSelector":{"a":"\\u003c1\\u003e","b":"2"},"priorityClassName":"p"},"networkPolicy":{}}',
  );
});

it('the hash is that of the whole input, so that sets of upstream stay as they are', () => {
  const spec = printAsGo({ targetNamespace: 'tekton', 'enable-api-fields': 'stable' }, TektonTrigger.fields?.spec);
  const json =
    '{"Spec":{"targetNamespace":"tekton","disabled":false,"enable-api-fields":"stable","options":{},"config":{},"networkPolicy":{}},' +
    '"PlatformData":"","RegistryOverride":""}';
  const expected = createHash('sha256').update(json).digest('hex');
  expect(specHash(spec, schema, { PlatformData: '', RegistryOverride: '' })).toBe(expected);
});
