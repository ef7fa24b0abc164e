import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeCauses, type ReconcileRecord } from '@tektite/controller';
import pc from 'picocolors';
import { request } from 'undici';
import type { StatusAccess } from '../observe/status-server.ts';
import { UserError } from '../user-error.ts';
import { terminalText } from '../terminal-text.ts';

export interface ExplainOptions {
  readonly namespace: string;
  readonly controller?: string;
  readonly dataDir: string;
  readonly output: string;
}

/** `tektite explain KIND NAME`: the recent reconciles of an object, with causes and results. */
export async function explain(kind: string, name: string, options: ExplainOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new UserError(`-o must be text or json, not ${JSON.stringify(options.output)}`);
  const status = await statusAccess(options);
  // Which of the two an object of this name is, its kind says; the controllers know it by one of them.
  const records = [...(await ask(status, kind, `${options.namespace}/${name}`)), ...(await ask(status, kind, name))];
  if (options.output === 'json') process.stdout.write(`${JSON.stringify(records, undefined, 2)}\n`);
  else
    process.stdout.write(
      records.length > 0 ? terminalText(records.map(describe).join('')) : nothing(kind, name, options),
    );
}

/** Where `tektite up` wrote it: beside the kubeconfig that is in use, or in its data folder. */
async function statusAccess({ controller, dataDir }: ExplainOptions): Promise<StatusAccess> {
  if (controller) return { url: controller.replace(/\/$/, ''), token: '' };
  const { KUBECONFIG: kubeconfig } = process.env;
  for (const folder of [...(kubeconfig ? [dirname(kubeconfig)] : []), dataDir]) {
    const url = await readFile(join(folder, 'status-url'), 'utf8').catch(() => undefined);
    const token = await readFile(join(folder, 'status-token'), 'utf8').catch(() => '');
    if (url !== undefined) return { url: url.trim(), token: token.trim() };
  }
  return { url: 'http://127.0.0.1:9090', token: '' };
}

async function ask({ url, token }: StatusAccess, kind: string, key: string): Promise<readonly ReconcileRecord[]> {
  const query = new URLSearchParams({ kind, key });
  try {
    const { statusCode, body } = await request(`${url}/explain?${query}`, {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    });
    if (statusCode !== 200) throw new Error(`it answers ${statusCode}`);
    return ((await body.json()) as { records: ReconcileRecord[] }).records;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      `${url} cannot be asked (${code ?? message}). Name the status address of the controllers with --controller; of those in a cluster, forward the port first: kubectl port-forward deployment/tektite-controller 9090`,
    );
  }
}

function describe({ controller, startedAt, durationMs, outcome, error, nextAt, ...causes }: ReconcileRecord): string {
  const bad = outcome === 'error' || outcome === 'terminalError' || outcome === 'timeout';
  const colour = bad ? pc.red : pc.green;
  const at = new Date(startedAt).toISOString();
  const lines = [
    `${at}  ${pc.bold(controller)}  ${colour(outcome)} after ${durationMs.toFixed(1)} ms`,
    `  because  ${describeCauses(causes) || 'the cause is not recorded'}`,
  ];
  if (error) lines.push(`  error    ${error}`);
  if (nextAt !== undefined) lines.push(`  again    ${new Date(nextAt).toISOString()}`);
  return `${lines.join('\n')}\n`;
}

function nothing(kind: string, name: string, { namespace }: ExplainOptions): string {
  return (
    `No controller has reconciled ${kind} ${namespace}/${name} since it started.\n` +
    'Either no controller is for that kind, or there is no such object, or another replica reconciles it.\n'
  );
}
