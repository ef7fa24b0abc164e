import { digestOf, type TestImage } from './test-image.ts';

/** Pushes by the distribution API. */
export async function pushImage(origin: string, repository: string, tag: string, image: TestImage): Promise<void> {
  for (const blob of image.blobs) {
    const start = await fetch(`${origin}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
    const place = new URL(start.headers.get('location') ?? '', origin);
    place.searchParams.set('digest', digestOf(blob));
    await expectOk(place, 'application/octet-stream', blob);
  }
  await pushManifest(origin, repository, tag, image.manifest);
}

export async function pushManifest(origin: string, repository: string, tag: string, manifest: string): Promise<void> {
  const { mediaType } = JSON.parse(manifest) as { mediaType: string };
  await expectOk(new URL(`${origin}/v2/${repository}/manifests/${tag}`), mediaType, Buffer.from(manifest));
}

async function expectOk(url: URL, type: string, body: Uint8Array): Promise<void> {
  const response = await fetch(url, {
    method: 'PUT',
    body: new Uint8Array(body),
    headers: { 'content-type': type },
  });
  if (!response.ok) throw new Error(`PUT ${url.href}: ${response.status} ${await response.text()}`);
}
