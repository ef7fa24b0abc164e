import { type Client, kinds } from '@tektite/client';
import { SettingReader } from '../config/setting-reader.ts';
import { type CacheTransforms, plainTransforms, strippingTransforms } from './cache-transforms.ts';

const flag = 'enable-informer-cache-transforms';

/**
 * Reads the setting from the ConfigMap `feature-flags`: once, as a cache cannot change its transform. The default is
 * on.
 */
export async function readCacheTransforms(client: Client, namespace: string): Promise<CacheTransforms> {
  const key = { namespace, name: 'feature-flags' };
  const data = await client.get(kinds.ConfigMap, key).then(
    (map) => map.data ?? {},
    () => ({}),
  );
  try {
    return new SettingReader(data).flag(flag, true) ? strippingTransforms : plainTransforms;
  } catch {
    return strippingTransforms;
  }
}
