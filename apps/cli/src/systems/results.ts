import { join } from 'node:path';
import type { System } from '@tektite/controller';
import { resultsSystem } from '@tektite/results';
import { defaultDataDir } from '../option-values.ts';
import { listenAddress } from './listen-address.ts';
import type { SystemSettings } from './system-settings.ts';

const namespace = process.env.SYSTEM_NAMESPACE;
/** Where the archive is, if not in the data folder of this command. */
const folder = process.env.TEKTITE_RESULTS_DIR;
/** In a Pod, the Service of the archive leads to this port. */
const listenVariable = 'TEKTITE_RESULTS_ADDRESS';

/** Tekton Results. The archive is beside the state of `tektite up`; in a Pod, in the volume that `TEKTITE_RESULTS_DIR` names. */
export function resultsFor({ dataDir = defaultDataDir() }: SystemSettings): System {
  const listen = process.env[listenVariable];
  return resultsSystem({
    folder: folder ?? join(dataDir, 'results'),
    ...(namespace ? { namespace } : {}),
    ...(listen ? { listen: listenAddress(listenVariable, listen) } : {}),
  });
}
