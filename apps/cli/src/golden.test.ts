import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;
const tool = join(root, '../shared/tools/compare-api/compare-api.mjs');
const bin = join(root, 'apps/cli/bin/tektite.js');
const token = 'replay';

interface Report {
  readonly scenarios: readonly {
    readonly id: string;
    readonly steps: readonly {
      readonly step: number;
      readonly label: string;
      readonly same: boolean;
      readonly diffs: readonly object[];
    }[];
  }[];
}

/** `scenario step` of every row of the table in docs/fidelity.md. */
async function listedDifferences(): Promise<Set<string>> {
  const text = await readFile(join(root, 'docs/fidelity.md'), 'utf8');
  const rows = text.matchAll(/^\| ([a-z-]+\/[a-z0-9-]+) \| ([0-9, ]+) \|/gm);
  return new Set(
    [...rows].flatMap(([, scenario, steps]) =>
      (steps as string).split(',').map((step) => `${scenario} ${step.trim()}`),
    ),
  );
}

if (!existsSync(tool)) {
  describe('recorded answers of a real kube-apiserver', () => {
    it('are not here (../shared is absent), so nothing is replayed', () => {
      console.warn('golden transcripts: ../shared/tools/compare-api is absent; not replayed');
      expect(existsSync(tool)).toBe(false);
    });
  });
} else {
  describe('recorded answers of a real kube-apiserver', () => {
    let folder: string;
    let server: ReturnType<typeof spawn>;
    let address: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tektite-golden-'));
      const tokens = join(folder, 'tokens.csv');
      await writeFile(tokens, `${token},admin,admin,"system:masters"\n`);
      const flags = ['--data-dir', join(folder, 'data'), '--port', '0', '--token-auth-file', tokens];
      server = spawn(
        process.execPath,
        [bin, 'up', '--api-only', '--disable-admission-plugins=ServiceAccount', ...flags],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      address = await new Promise((resolve, reject) => {
        server.once('exit', (code) => reject(new Error(`tektite up ended with ${code}`)));
        server.stdout?.on('data', (chunk: Buffer) => {
          const found = /https:\/\/[0-9.:]+/.exec(chunk.toString());
          if (found) resolve(found[0]);
        });
      });
    });

    afterAll(async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    });

    it('are this server’s answers too, but for those listed in docs/fidelity.md', async () => {
      const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
      if (!hasKubectl) console.warn('golden transcripts: kubectl is not on PATH; its scenarios are not replayed');
      const reportFile = join(folder, 'report.json');
      await promisify(execFile)(
        process.execPath,
        [tool, '--report-only', '--quiet', '--json', reportFile, ...(hasKubectl ? [] : ['--no-kubectl'])],
        {
          env: {
            ...process.env,
            KUBE_SERVER: address,
            KUBE_TOKEN: token,
            COMPACT_CMD: `${process.execPath} ${bin} compact --data-dir ${join(folder, 'data')}`,
          },
          maxBuffer: 64 * 1024 * 1024,
        },
      );
      const report = JSON.parse(await readFile(reportFile, 'utf8')) as Report;
      const steps = report.scenarios.flatMap(({ id, steps: all }) => all.map((step) => ({ id, ...step })));
      const different = steps.filter(({ same }) => !same);
      console.log(
        `golden transcripts: ${steps.length - different.length}/${steps.length} steps, ${report.scenarios.filter((scenario) => scenario.steps.every(({ same }) => same)).length}/${report.scenarios.length} scenarios the same`,
      );

      const listed = await listedDifferences();
      const unexplained = different.filter(({ id, step }) => !listed.has(`${id} ${step}`));
      expect(unexplained.map(({ id, step, label, diffs }) => ({ id, step, label, first: diffs[0] }))).toEqual([]);
      expect(steps.length).toBeGreaterThan(1400);
    }, 300_000);
  });
}
