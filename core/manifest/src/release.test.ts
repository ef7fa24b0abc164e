import { existsSync } from 'node:fs';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { applyManifest } from './apply/apply-manifest.ts';
import { loadManifest } from './source/source.ts';

const payload = new URL('../../../../shared/data/payload/tekton-pipeline/', import.meta.url).pathname;
const release = (version: string) => loadManifest({ kind: 'path', path: `${payload}${version}/release.yaml` });

describe.skipIf(!existsSync(payload))('the Tekton release (from ../shared, skipped where that is absent)', () => {
  it('is installed, and a second time nothing changes', async () => {
    await using plane = await startControlPlane();
    let t = performance.now();
    const manifest = await release('v1.15.0');
    console.log('parse', performance.now() - t);
    t = performance.now();
    const first = await applyManifest(plane.client, manifest);
    console.log('apply', performance.now() - t);
    expect(new Set(first.results.map(({ action }) => action))).toEqual(new Set(['created']));
    t = performance.now();
    const second = await applyManifest(plane.client, manifest);
    console.log('again', performance.now() - t);
    expect(new Set(second.results.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  });
});
