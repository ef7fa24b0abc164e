import { Client, httpTransport, isClientError, loadConfig } from '@tektite/client';
import { UserError } from '../user-error.ts';

/** A client to the cluster of a kubeconfig. What is wrong with that is the user's to know. */
export async function openCluster(kubeconfig: string): Promise<Client> {
  try {
    return new Client(httpTransport(await loadConfig({ kubeconfig })));
  } catch (error) {
    if (isClientError(error)) throw new UserError(error.message);
    throw error;
  }
}
