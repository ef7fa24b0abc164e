import { StatusError } from '@tektite/meta';
import { expect, it } from 'vitest';
import type { ResolutionRequestObject } from '../../kinds/resolution-request.ts';
import type { Resolver } from '../../resolution/resolver.ts';
import { isRetried, validateResource, validRequest } from './decide.ts';

const object = {
  apiVersion: 'resolution.tekton.dev/v1beta1',
  kind: 'ResolutionRequest',
  metadata: { namespace: 'n', name: 'r' },
  spec: { params: [{ name: 'url', value: 'u' }] },
} as ResolutionRequestObject;
const resolver = (validate: () => void = () => undefined): Resolver => ({
  type: 'git',
  name: 'Git',
  configName: 'git-resolver-config',
  defaultConfig: {},
  validate,
  resolve: () => Promise.reject(new Error('not called')),
});
const settings = (isEnabled = true) => ({ config: () => new Map() as never, isEnabled: () => isEnabled });
const bytes = (text: string) => ({ data: Buffer.from(text) });

it('reads the params of a request', () => {
  const { namespace, params } = validRequest(resolver(), object, settings());
  expect([namespace, params.get('url')]).toEqual(['n', 'u']);
});

it('rejects a request for a disabled resolver, and one that its resolver does not take', () => {
  expect(() => validRequest(resolver(), object, settings(false))).toThrow(
    'invalid resource request "n/r": cannot handle resolution request, enable-git-resolver feature flag not true',
  );
  const strict = resolver(() => {
    throw new Error('no revision');
  });
  expect(() => validRequest(strict, object, settings())).toThrow('invalid resource request "n/r": no revision');
});

it('accepts objects of Tekton, and rejects other and too large data', () => {
  expect(() =>
    validateResource(bytes('apiVersion: tekton.dev/v1\nkind: Task\n'), { name: 'Git' }, object),
  ).not.toThrow();
  expect(() => validateResource(bytes('apiVersion: v1\nkind: Pod\n'), { name: 'Git' }, object)).toThrow(
    'error getting "Git" "n/r": resolved resource validation error: resolved data is not of a supported type',
  );
  expect(() => validateResource({ data: Buffer.alloc(2_300_001) }, { name: 'Git' }, object)).toThrow(
    'Request entity too large',
  );
});

it('retries conflicts and transient errors, and nothing else', () => {
  expect(isRetried(new StatusError({ code: 409, message: 'conflict' }))).toBe(true);
  expect(isRetried(new StatusError({ code: 404, message: 'not found' }))).toBe(false);
  expect(isRetried(new Error('no'))).toBe(false);
});
