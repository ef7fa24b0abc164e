import { type CheckReport, runConformance } from '@tektite/byoh';
import type { Client } from '@tektite/client';
import { type DynamicObject, isStatusError, systemClock } from '@tektite/meta';
import pc from 'picocolors';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { readDuration } from '../read-duration.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';

export interface ByohConformanceOptions extends ClusterChoice {
  readonly kind: string;
  readonly template: string;
  readonly osImage: string;
  readonly architecture: string;
  readonly k8sVersion: string;
  readonly only?: string;
  readonly settle: string;
  readonly output: string;
}

const signs = { pass: pc.green('pass'), fail: pc.red('FAIL'), skip: pc.yellow('skip') };

/** `tektite byoh conformance`: holds a running installer against the contract. */
export async function byohConformance(options: ByohConformanceOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new UserError(`-o must be text or json, not ${JSON.stringify(options.output)}`);
  const settleMs = readDuration('--settle', options.settle);
  const reports: CheckReport[] = [];
  // An interrupted command removes its namespace nevertheless.
  const stopped = stopSignal();
  let isStopped = false;
  void stopped.promise.then(() => (isStopped = true));
  await withCluster(options, async (client) => {
    const configKind = await findKind(client, options.kind);
    const template = await readTemplate(client, configKind, options.template);
    const checks = runConformance({
      client,
      template,
      configKind,
      namespace: `byoh-conformance-${Math.floor(systemClock.now() / 1000).toString(36)}`,
      host: { osname: 'linux', osimage: options.osImage, architecture: options.architecture },
      k8sVersion: options.k8sVersion,
      settleMs,
      ...(options.only ? { only: options.only.split(',').map((id) => id.trim()) } : {}),
    });
    for await (const report of checks) {
      reports.push(report);
      if (options.output === 'text') process.stdout.write(lineOf(report));
      if (isStopped) break;
    }
  }).finally(() => stopped.ignore());
  if (options.output === 'json') process.stdout.write(`${JSON.stringify(reports, undefined, 2)}\n`);
  const failed = reports.filter(({ result }) => result === 'fail').length;
  if (reports.length === 0) throw new UserError(`--only: there are no checks ${options.only}; there are C1 to C15`);
  if (failed > 0) throw new UserError(`${failed} of ${reports.length} checks failed`);
}

function lineOf({ id, title, result, detail }: CheckReport): string {
  return `${signs[result]} ${id.padEnd(3)} ${title}${detail ? pc.dim(` (${detail})`) : ''}\n`;
}

/** `Kind`, or `Kind.group`. */
async function findKind(client: Client, text: string): Promise<{ readonly apiVersion: string; readonly kind: string }> {
  const [kind = '', ...rest] = text.split('.');
  const group = rest.join('.') || 'infrastructure.cluster.x-k8s.io';
  const { resources } = await client.discovery.all();
  const found = resources.find((each) => each.kind === kind && each.group === group);
  if (!found) throw new UserError(`--kind: the cluster serves no ${kind} in ${group}; is its definition installed?`);
  return { apiVersion: `${group}/${found.version}`, kind };
}

async function readTemplate(
  client: Client,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  text: string,
): Promise<DynamicObject> {
  const [name = '', namespace = 'default'] = text.split('/').toReversed();
  try {
    return await client.get({ apiVersion, kind: `${kind}Template` }, { namespace, name });
  } catch (error) {
    throw isStatusError(error) ? new UserError(`--template: ${error.message}`) : error;
  }
}
