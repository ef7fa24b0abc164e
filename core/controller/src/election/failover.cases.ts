import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds, resilientWatch } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { candidate, type CandidateSettings } from './failover-process.cases.ts';

const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 250 };
/** The lease, the longest pause between two tries twice, and time for a busy machine. */
const takeOverMs = timing.leaseDurationMs + 2 * 2.2 * timing.retryPeriodMs + 2_000;
const patience = { timeout: 30_000, interval: 20 };

/** The writes in the order of the server: the holders of the lease, and the writers. */
interface Record {
  readonly revision: number;
  readonly type: 'lease' | 'work';
  readonly who: string;
}

/** Leaders that are real processes, killed and stopped for real. */
export function failoverCases(cluster: () => Cluster): void {
  let folder = '';
  let program = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tektite-failover-'));
    program = join(folder, 'candidate.cjs');
    await build({
      stdin: {
        contents: `import { ${candidate.name} } from './failover-process.cases.ts'; void ${candidate.name}();`,
        resolveDir: import.meta.dirname,
        loader: 'ts',
      },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      conditions: ['source'],
      logLevel: 'error',
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function launch(name: string, identity: string): Promise<ChildProcess> {
    const { config } = await cluster().https();
    const { clientCertificate } = (await config.credentials?.current()) ?? {};
    const settings = { ...timing, ...config, clientCertificate, identity, name } as unknown as CandidateSettings;
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, CANDIDATE: JSON.stringify(settings) },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  async function follow(name: string): Promise<Record[]> {
    const { client } = cluster();
    const log: Record[] = [];
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const options = { namespace: 'default', fieldSelector: `metadata.name=${name}`, signal: stop.signal };
    const record = (type: Record['type'], object: KubeObject, who = '') =>
      log.push({ revision: Number(object.metadata.resourceVersion), type, who });
    const read = async () => {
      for await (const event of resilientWatch(client, kinds.Lease, options))
        if (event.type === 'added' || event.type === 'modified')
          record('lease', event.object, event.object.spec?.holderIdentity);
    };
    const readWork = async () => {
      for await (const event of resilientWatch(client, kinds.ConfigMap, options))
        if (event.type === 'modified') record('work', event.object, event.object.data?.['by']);
    };
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name } });
    read().catch(() => {});
    readWork().catch(() => {});
    return log;
  }

  const worked = (log: readonly Record[], who: string) =>
    log.filter((entry) => entry.type === 'work' && entry.who === who);

  /** Work of a process that did not hold the lease when the server accepted it. */
  function intrusions(log: readonly Record[]): string[] {
    const wrong: string[] = [];
    let holder = '';
    for (const { type, who } of [...log].sort((a, b) => a.revision - b.revision)) {
      if (type === 'lease') holder = who;
      else if (who !== holder) wrong.push(`${who} wrote while ${holder || 'nobody'} led`);
    }
    return wrong;
  }

  it('follows a leader that was killed, within the time of its lease', async () => {
    const log = await follow('killed');
    const first = await launch('killed', 'first');
    await expect.poll(() => worked(log, 'first').length, patience).toBeGreaterThan(20);
    await launch('killed', 'second');
    await expect.poll(() => worked(log, 'first').length, patience).toBeGreaterThan(60);
    expect(worked(log, 'second')).toEqual([]);
    first.kill('SIGKILL');
    const killedAt = performance.now();
    await expect.poll(() => worked(log, 'second').length, patience).toBeGreaterThan(0);
    expect(performance.now() - killedAt).toBeLessThan(takeOverMs);
    await expect.poll(() => worked(log, 'second').length, patience).toBeGreaterThan(20);
    expect(intrusions(log)).toEqual([]);
  });

  it('lets no paused process write after another took over', async () => {
    const log = await follow('asleep');
    const first = await launch('asleep', 'first');
    await expect.poll(() => worked(log, 'first').length, patience).toBeGreaterThan(20);
    await launch('asleep', 'second');
    first.kill('SIGSTOP');
    await expect.poll(() => worked(log, 'second').length, patience).toBeGreaterThan(20);
    const before = worked(log, 'first').length;
    first.kill('SIGCONT');
    const sofar = worked(log, 'second').length;
    await expect.poll(() => worked(log, 'second').length, patience).toBeGreaterThan(sofar + 40);
    expect(worked(log, 'first')).toHaveLength(before);
    expect(intrusions(log)).toEqual([]);
  });
}
