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
  const file = options.kubeconfig ?? process.env.KUBECONFIG ?? `${options.dataDir}/kubeconfig`;
  const connection = await readConnection(file);
  const dispatcher = new Agent({
    connect: { ca: connection.authority, cert: connection.certificate, key: connection.key },
  });
  try {
    const { statusCode, body } = await request(`${connection.server}${compactPath}`, { method: 'POST', dispatcher });
    const answer = (await body.json()) as { compactedRevision?: number; message?: string };
    if (statusCode !== 200) throw new UserError(`${connection.server} refused: ${answer.message ?? statusCode}`);
    process.stdout.write(`forgot everything before revision ${answer.compactedRevision}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
      throw new UserError(`nothing answers at ${connection.server}; is \`tektite up\` running?`);
    throw error;
  } finally {
    await dispatcher.close();
  }
}
