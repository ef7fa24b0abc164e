import { resolve } from 'node:path';
import { checkComponent } from '../scaffold/component-name.ts';
import { payloadFiles } from '../scaffold/payload-files.ts';
import { writeFiles } from '../scaffold/write-files.ts';

/** `tektite connectors new`: an application that runs, to be replaced by one's own. Overwrites nothing. */
export async function newPayload(name: string, { out }: { readonly out?: string }): Promise<void> {
  const component = checkComponent(name);
  await writeFiles(resolve(out ?? component), payloadFiles(component), { option: '--out' });
}
