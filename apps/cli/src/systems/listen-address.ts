import { UserError } from '../user-error.ts';

/** Reads `ADDRESS:PORT`, the value of an environment variable. */
export function listenAddress(variable: string, text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw new UserError(`${variable} must be ADDRESS:PORT, not ${JSON.stringify(text)}`);
  return { host, port: Number(port) };
}
