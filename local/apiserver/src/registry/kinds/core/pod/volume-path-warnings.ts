import { quoteGo } from '@tektite/meta';
import type { Volume, VolumeProjection } from '@tektite/schema/kubernetes';

interface FilePath {
  readonly path: string;
  readonly source: string;
}

const print = ({ path, source }: FilePath): string => (source === '' ? quoteGo(path) : `${quoteGo(path)} (${source})`);

/** Advice about volumes that write two things to the same file, or a file where a directory must be. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  const warnings: string[] = [];
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    const warn = (description: string, files: readonly FilePath[]) => {
      for (const overlap of overlaps(files))
        warnings.push(`volume ${quoteGo(name)} (${description}): overlapping paths: ${overlap}`);
    };
    const plain = (items: readonly { readonly path: string }[]) => items.map(({ path }) => ({ path, source: '' }));
    if (configMap?.items) warn(`ConfigMap ${quoteGo(configMap.name ?? '')}`, plain(configMap.items));
    if (secret?.items) warn(`Secret ${quoteGo(secret.secretName ?? '')}`, plain(secret.items));
    if (downwardAPI?.items) warn('DownwardAPI', plain(downwardAPI.items));
    if (!projected) continue;
    for (const source of projected.sources ?? [])
      if (Object.keys(source).length === 0)
        warnings.push(`volume ${quoteGo(name)} (Projected) has no sources provided`);
    warn('Projected', (projected.sources ?? []).flatMap(projectedFiles));
  }
  return warnings;
}

function projectedFiles(source: VolumeProjection): FilePath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const files = (items: readonly { readonly path: string }[], description: string) =>
    items.map(({ path }) => ({ path, source: description }));
  if (configMap?.items) return files(configMap.items, `ConfigMap ${quoteGo(configMap.name ?? '')}`);
  if (secret?.items) return files(secret.items, `Secret ${quoteGo(secret.name ?? '')}`);
  if (downwardAPI?.items) return files(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
  if (clusterTrustBundle) {
    const bundle = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '';
    return [{ path: clusterTrustBundle.path, source: `ClusterTrustBundle ${quoteGo(bundle)}` }];
  }
  const { certificateChainPath = '', keyPath = '', credentialBundlePath = '' } = podCertificate ?? {};
  return [
    { path: certificateChainPath, source: 'PodCertificate chain' },
    { path: keyPath, source: 'PodCertificate key' },
    { path: credentialBundlePath, source: 'PodCertificate credential bundle' },
  ].filter(({ path }) => path !== '');
}

function overlaps(files: readonly FilePath[]): string[] {
  const result: string[] = [];
  const seen: FilePath[] = [];
  for (const file of files) {
    const path = file.path.replace(/\/+$/, '');
    const here = { ...file, path };
    for (const other of seen)
      if (path !== '' && other.path !== '' && (isWithin(path, other.path) || isWithin(other.path, path)))
        result.push(`${print(here)} with ${print(other)}`);
    seen.push(here);
  }
  return result;
}

const isWithin = (path: string, directory: string): boolean => `${path}/`.startsWith(`${directory}/`);
