import { compactPath } from '@tektite/apiserver';
import { Agent, request } from 'undici';
import { readConnection } from '../kubeconfig-file.ts';
import { UserError } from '../user-error.ts';

export interface CompactOptions {
  readonly kubeconfig?: string;
  readonly dataDir: string;
}

/** `tektite compact`: asks a running control plane to forget the past. */
export async function compact(options: CompactOptions): Promise<void> {
  const file = options.kubeconfig || process.env.KUBECONFIG || `${options.dataDir}/kubeconfig`;
  const connection = await readConnection(file);
  const dispatcher = new Agent({
    connect: { ca: connection.authority, cert: connection.certificate, key: connection.key },
  });
  try {
    const { statusCode, body } = await request(`${connection.server}${compactPath}`, { method: 'POST', dispatcher });
    const text = await body.text();
    if (statusCode !== 200) throw new UserError(`${connection.server} refused: ${messageOf(text) ?? statusCode}`);
    const { compactedRevision } = JSON.parse(text) as { compactedRevision: number };
    process.stdout.write(`forgot everything before revision ${compactedRevision}\n`);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED')
      throw new UserError(`nothing answers at ${connection.server}; is \`tektite up\` running?`);
    throw new UserError(`${connection.server} cannot be asked: ${message}`);
  } finally {
    await dispatcher.close();
  }
}

/** What a Status says; `undefined` for an answer that is none. */
function messageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message;
  } catch {
    return undefined;
  }
}
