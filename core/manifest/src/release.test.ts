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
    const manifest = await release('v1.15.0');
    const first = await applyManifest(plane.client, manifest);
    expect(new Set(first.results.map(({ action }) => action))).toEqual(new Set(['created']));
    const second = await applyManifest(plane.client, manifest);
    expect(new Set(second.results.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  });
});
