import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResolverBench, taskText } from '../test-support.ts';
import { parseConstraint, parseVersion } from './version.ts';

let bench: ResolverBench;
let hub: Server;
let origin: string;
const asked: string[] = [];

const versions = ['0.7.0', '0.9.0', '0.10.0', '1.0.0', '1.1.0-rc.1'];
const answers: Readonly<Record<string, unknown>> = {
  '/api/v1/packages/tekton-task/tekton-catalog-tasks/clone': {
    available_versions: [...versions.map((version) => ({ version })), { version: '2.0.0', prerelease: true }],
  },
  '/api/v1/packages/tekton-task/tekton-catalog-tasks/clone/0.9.0': { data: { manifestRaw: taskText } },
  '/api/v1/packages/tekton-task/tekton-catalog-tasks/clone/1.0.0': { data: { manifestRaw: taskText } },
  '/v1/resource/Tekton/task/clone': { data: { versions: versions.map((version) => ({ version })) } },
  '/v1/resource/Tekton/task/clone/0.10/yaml': { data: { yaml: taskText } },
};

beforeAll(async () => {
  bench = await ResolverBench.start();
  hub = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (Object.hasOwn(answers, url)) response.end(JSON.stringify(answers[url]));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    hub.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
});
afterAll(async () => {
  hub.close();
  await bench.stop();
});

const getting = (message: string) => `error getting "Hub" "default/REQUEST": ${message}`;
const invalid = (message: string) =>
  `invalid resource request "default/REQUEST": failed to validate params: ${message}`;

describe('the hub resolver', () => {
  it.each([
    ['artifact', '0.9', '/api/v1/packages/tekton-task/tekton-catalog-tasks/clone/0.9.0'],
    ['artifact', '>=0.7.0', '/api/v1/packages/tekton-task/tekton-catalog-tasks/clone/1.0.0'],
    ['tekton', '~> 0.9', '/v1/resource/Tekton/task/clone/0.10/yaml'],
  ])('brings an object from a hub of type %s by the version %s', async (type, version, path) => {
    const { text, status, message } = await bench.ask('hub', { url: `${origin}/`, type, version, name: 'clone' });
    expect(message).toBe('');
    expect(text).toBe(taskText);
    expect(status.refSource).toMatchObject({ uri: origin + path });
  });

  it('asks one hub after the other', async () => {
    await bench.configure('hubresolver-config', { 'artifact-hub-urls': `- ${origin}/none\n- ${origin}\n` });
    expect((await bench.ask('hub', { name: 'clone', version: '0.9' })).text).toBe(taskText);
  });

  it.each([
    ['a version that is not there', { version: '9' }, 'no version found for constraint 9'],
    [
      'a name that is not there',
      { name: 'none', version: 'latest' },
      "fail to fetch Artifact Hub resource: requested resource 'ORIGIN/api/v1/packages/tekton-task/tekton-catalog-tasks/none/latest' not found on hub",
    ],
    ['a name that leads elsewhere', { name: '..' }, 'invalid path component ".."'],
  ])('refuses %s', async (_title, params, message) => {
    const answer = await bench.ask('hub', { url: origin, name: 'clone', version: '0.9', ...params });
    expect(answer.message).toBe(getting(message.replace('ORIGIN', origin)));
  });

  it.each([
    ['nothing', {}, 'missing required hub resolver params: name, version'],
    ['another kind', { kind: 'secret', catalog: 'x' }, 'kind param must be one of: task, pipeline, stepaction'],
    ['a hub that is not named', { type: 'tekton' }, 'please configure TEKTON_HUB_API env variable to use tekton type'],
    ['a file as a hub', { url: 'file:///etc' }, 'invalid url param: url must be a valid absolute URL: file:///etc'],
  ])('refuses %s', async (_title, params, message) => {
    expect((await bench.ask('hub', params)).message).toBe(invalid(message));
  });
});

it.each([
  ['1.0', '1.0.0', true],
  ['= 1.0.0', '1.0.1', false],
  ['>= 0.7, < 1', '0.9.9', true],
  ['>= 0.7, < 1', '1.0.0', false],
  ['> 1.0', '1.1.0-rc.1', false],
  ['>= 1.1.0-rc.1', '1.1.0-rc.2', true],
  ['!= 1.0', '1.0.0', false],
  ['~> 1.2.3', '1.2.9', true],
  ['~> 1.2.3', '1.3.0', false],
  ['~> 1.2', '1.9.0', true],
  ['~> 1.2', '2.0.0', false],
])('the constraint %s is met by %s: %s', (constraint, version, isMet) => {
  const parsed = parseVersion(version);
  expect(parsed && parseConstraint(constraint)?.(parsed)).toBe(isMet);
});
