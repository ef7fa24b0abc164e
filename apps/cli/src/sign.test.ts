import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Scratch } from './test-support.ts';

let scratch: Scratch;

beforeAll(() => {
  scratch = new Scratch();
  const encoding = { type: 'spki', format: 'pem' } as const;
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: encoding,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
  });
  write('key.pem', privateKey);
  write('key.pub', publicKey);
  write('passphrase', 'secret\n');
  write('other.pub', generateKeyPairSync('ed25519', { publicKeyEncoding: encoding }).publicKey as unknown as string);
  write(
    'task.yaml',
    'apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: t}\nspec: {params: [{name: p}], steps: [{image: i}]}\n---\n' +
      'apiVersion: tekton.dev/v1beta1\nkind: Pipeline\nmetadata: {name: p}\nspec: {tasks: [{name: a, taskRef: {name: t}}]}\n',
  );
});
afterAll(() => scratch[Symbol.dispose]());

const write = (name: string, content: string) => writeFileSync(join(scratch.path, name), content);
const sign = (...args: string[]) =>
  scratch.tektite(['sign', '--key', 'key.pem', '--passphrase-file', 'passphrase', ...args]);
const verify = (file: string, key = 'key.pub') => scratch.tektite(['verify', '-f', file, '--key', key]);

it('verifies a signed document until it is changed', () => {
  expect(sign('-f', 'task.yaml', '-o', 'signed.yaml')).toEqual({ code: 0, out: '', err: '' });
  expect(verify('signed.yaml')).toEqual({ code: 0, out: 'task/t is signed\npipeline/p is signed\n', err: '' });
  const text = readFileSync(join(scratch.path, 'signed.yaml'), 'utf8');
  expect(text).toContain('tekton.dev/signature: ');
  write('changed.yaml', text.replace('image: i', 'image: evil'));
  const { code, err } = verify('changed.yaml');
  expect(code).toBe(1);
  expect(err).toContain('changed.yaml:1: task/t is not what the owner of the key signed');
});

it('says what is wrong', () => {
  expect(verify('task.yaml').err).toContain('task.yaml:1: task/t has no signature');
  sign('-f', 'task.yaml', '-o', 'signed.yaml');
  expect(verify('signed.yaml', 'other.pub').code).toBe(1);
  expect(verify('signed.yaml', 'key.pem').err).toContain('it is a private key');
  expect(scratch.tektite(['sign', '--key', 'none.pem', '-f', 'task.yaml']).err).toContain(
    '--key: none.pem: there is no such file',
  );
  write('pod.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n');
  expect(sign('-f', 'pod.yaml').err).toContain('pod.yaml:1: only Tasks and Pipelines are signed, and this is a Pod');
});
