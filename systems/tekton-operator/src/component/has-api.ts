import type { Client } from '@tektite/client';
import { isStatusError } from '@tektite/meta';

/** Whether the server serves a group and version: `cert-manager.io/v1`. */
export async function hasApi(client: Client, api: string): Promise<boolean> {
  const [group = '', version = ''] = api.split('/');
  try {
    const { resources } = await client.discovery.all();
    return resources.some((resource) => resource.group === group && resource.version === version);
  } catch (error) {
    if (isStatusError(error)) return false;
    throw error;
  }
}
