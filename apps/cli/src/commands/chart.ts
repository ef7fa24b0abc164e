import { resolve } from 'node:path';
import { defaultValues, findInstallation, programIn } from '../catalog/installations.ts';
import { chartFiles, namespacePlaceholder } from '../chart/chart-files.ts';
import { placeholders } from '../release/template-value.ts';
import { writeFiles } from '../scaffold/write-files.ts';
import { version } from '../version.ts';

export interface ChartCommandOptions {
  readonly image: string;
  readonly payload?: string;
  readonly out?: string;
}

/** `tektite chart`: writes the Helm chart of a system, which installs what `tektite deploy` prints. */
export async function chart(system: string, { image, payload, out }: ChartCommandOptions): Promise<void> {
  const installation = findInstallation(system);
  const values = defaultValues(installation, image);
  const stand = placeholders(values);
  const objects = await installation.objects(programIn(stand.image), stand, {
    namespace: namespacePlaceholder,
    ...(payload === undefined ? {} : { payload }),
  });
  const name = `tektite-${system.replace(/^tektite-/, '')}`;
  const files = chartFiles({ name, version, summary: installation.summary, objects, values });
  await writeFiles(resolve(out ?? name), files, { overwrite: true, option: '--out' });
}
