import { Client, type ClientOptions } from './client.ts';
import { loadConfig, type LoadConfigOptions } from './config/load-config.ts';
import { httpTransport, type HttpTransportOptions } from './transport/http-transport.ts';

/**
 * A client for the cluster that the user means.
 *
 * @example
 * await using client = await openClient({ context: 'staging' });
 */
export async function openClient(
  options: LoadConfigOptions & ClientOptions & HttpTransportOptions = {},
): Promise<Client> {
  return new Client(httpTransport(await loadConfig(options), options), options);
}
