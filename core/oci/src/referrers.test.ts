import { TestRegistry } from '@tektite/testkit/images';
import { expect, it } from 'vitest';
import { parseImageReference } from './image-reference.ts';
import { RegistryClient } from './registry-client.ts';

const subject = `sha256:${'a'.repeat(64)}`;
const list = 'application/vnd.oci.image.index.v1+json';
const referrer = (artifactType: string) => ({
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  artifactType,
  subject: { digest: subject },
});

function clientOf(registry: TestRegistry): RegistryClient {
  return new RegistryClient(parseImageReference(`${registry.host}/app`), undefined, new AbortController().signal);
}

it('referrers are listed under a tag where the registry does not list them, each once', async () => {
  await using registry = await TestRegistry.start();
  const client = clientOf(registry);
  expect(await client.referrers(subject)).toEqual([]);
  for (const type of ['x/one', 'x/two', 'x/one']) await client.uploadReferrer(referrer(type), subject);
  const found = await client.referrers(subject);
  expect(found.map(({ artifactType }) => artifactType)).toEqual(['x/two', 'x/one']);
});

it('referrers are left to a registry that lists them', async () => {
  await using registry = await TestRegistry.start();
  const manifests: object[] = [];
  registry.intercept = async (request, response) => {
    if (request.url?.includes('/referrers/')) {
      response.writeHead(200, { 'content-type': list }).end(JSON.stringify({ manifests }));
      return true;
    }
    if (request.method !== 'PUT') return false;
    manifests.push({ artifactType: 'x/one' });
    response.writeHead(201, { 'oci-subject': subject }).end();
    return true;
  };
  const client = clientOf(registry);
  await client.uploadReferrer(referrer('x/one'), subject);
  expect(await client.referrers(subject)).toEqual([{ artifactType: 'x/one' }]);
  expect(registry.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});
