import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Quantity } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { PreparedVolume } from './pod-volumes.ts';

/** A volume that holds more than it may, in the words of a kubelet; undefined when there is none. */
export async function exceededLimit(
  pod: Pod,
  volumes: ReadonlyMap<string, PreparedVolume>,
): Promise<string | undefined> {
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    const path = volumes.get(name)?.path;
    if (!hasLimit(emptyDir?.sizeLimit) || path === undefined) continue;
    const limit = String(emptyDir?.sizeLimit);
    const most = Number(Quantity.parse(limit).value);
    if ((await usage(path, most)) > most)
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(limit)}. `;
  }
  return undefined;
}

export function hasSizeLimits({ spec }: Pod): boolean {
  return (spec?.volumes ?? []).some(({ emptyDir }) => hasLimit(emptyDir?.sizeLimit));
}

function hasLimit(limit: string | number | undefined): boolean {
  return limit !== undefined && !Quantity.parse(String(limit)).isZero;
}

/** The disk usage of a folder. Links are not followed; the count stops at `enough`. */
async function usage(folder: string, enough: number): Promise<number> {
  const blockSize = 512;
  const folders = [folder];
  let bytes = 0;
  while (folders.length > 0 && bytes <= enough) {
    const current = folders.pop() as string;
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      const path = join(current, entry.name);
      const stat = await lstat(path).catch(() => undefined);
      bytes += (stat?.blocks ?? 0) * blockSize;
      if (entry.isDirectory()) folders.push(path);
      if (bytes > enough) break;
    }
  }
  return bytes;
}
