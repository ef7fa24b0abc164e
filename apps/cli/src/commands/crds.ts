import { definitionsOf } from '@tektite/controller';
import { putOut } from '../manifest-output.ts';
import { loadSystems } from '../catalog/load-systems.ts';

export interface CrdsOptions {
  readonly systems: string;
  readonly output: string;
  readonly check?: string;
}

/** `tektite crds`: prints the definitions of the systems' kinds, or says whether a file still has them. */
export async function crds({ systems: names, output, check }: CrdsOptions): Promise<void> {
  const systems = await loadSystems(names);
  const definitions = systems.flatMap(({ kinds }) => definitionsOf(kinds));
  const command = `tektite crds --systems ${names}${output === 'yaml' ? '' : ` -o ${output}`}`;
  await putOut(definitions, { output, command, ...(check === undefined ? {} : { check }) });
}
