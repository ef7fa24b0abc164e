import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { connectorsSystem, folderPayloads, payloadPermissions } from '@tektite/connectors';
import type { System } from '@tektite/controller';
import { UserError } from '../user-error.ts';
import { version } from '../version.ts';
import type { SystemSettings } from './system-settings.ts';

/** Where images that are built with ko have what they bring along. */
const payloadFolder = '/var/run/ko';

/** The Connectors operator, with the payloads of a folder and the rights that those need. */
export async function connectors(settings: SystemSettings): Promise<System> {
  const { payload, allowInsecureManifests, allowPrivateManifests, additionalManifestsClusterScope } = settings;
  const folder = resolve(payload ?? process.env.KO_DATA_PATH ?? payloadFolder);
  if (payload !== undefined && !existsSync(folder)) throw new UserError(`--payload: there is no folder ${folder}`);
  const payloads = folderPayloads(folder);
  return connectorsSystem({
    payloads,
    permissions: await payloadPermissions(payloads),
    version: process.env.VERSION || `v${version}`,
    manifestRoots: [folder, '/manifests'],
    environment: process.env,
    allowInsecureManifests: allowInsecureManifests ?? false,
    allowPrivateManifests: allowPrivateManifests ?? false,
    additionalManifestsClusterScope: additionalManifestsClusterScope ?? false,
  });
}
