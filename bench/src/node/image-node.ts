import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tektite/meta';
import { clientObjects, type ImageService, StoreImageService } from '@tektite/node';
import { ImageStore } from '@tektite/oci';
import { busyboxLayer, imageOf, layerOf, pushImage, TestRegistry } from '@tektite/testkit/images';

/** An image of a registry in this process, pulled into a separate store. */
export interface BenchImage extends AsyncDisposable {
  readonly name: string;
  readonly images: ImageService;
}

/** Undefined where there is no busybox to make it of. */
export async function openBenchImage(): Promise<BenchImage | undefined> {
  if (spawnSync('busybox', ['true']).status !== 0) return undefined;
  const registry = await TestRegistry.start();
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-images-'));
  const store = await ImageStore.open({ folder });
  const links = layerOf([{ name: 'bin/true', type: '2', link: 'busybox' }]);
  await pushImage(registry.origin, 'bench', '1', imageOf([busyboxLayer(), links], { Cmd: ['sh'] }));
  const objects = clientObjects({ get: () => Promise.reject(new Error('no Pod has credentials')) } as never);
  return {
    name: `${registry.host}/bench:1`,
    images: new StoreImageService({ store, objects, clock: systemClock, credentials: async () => [] }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
