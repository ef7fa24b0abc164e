import { writeFile } from 'node:fs/promises';
import { type Client, kinds } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import { runKinds } from '../input/run-kinds.ts';

/** Writes the runs, their Pods and events of a control plane into a file, for reading after it has stopped. */
export async function saveObjects(client: Client, file: string): Promise<void> {
  const documents: string[] = [];
  for (const kind of [...Object.values(runKinds), kinds.Pod, kinds.Event])
    for await (const object of client.listAll<KubeObject>(kind)) documents.push(formatYaml(object));
  await writeFile(file, documents.join('---\n'));
}
