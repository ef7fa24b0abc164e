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

interface Scenario {
  readonly id: string;
  readonly steps: readonly {
    readonly step: number;
    readonly label: string;
    readonly same: boolean;
    readonly diffs: readonly { readonly golden?: unknown; readonly actual?: unknown }[];
  }[];
}

/** Ages of objects with fixed times were recorded on one day and grow with the calendar. */
function isOlder({ golden, actual }: Scenario['steps'][number]['diffs'][number]): boolean {
  const withoutAges = (value: unknown) => String(value).replaceAll(/\b\d+y(\d+d)?\b|\b\d+d\b/g, 'AGE');
  return typeof golden === 'string' && golden !== withoutAges(golden) && withoutAges(golden) === withoutAges(actual);
}

/** The report of the tool, with steps that differ by the calendar alone counted as the same. */
function withoutCalendar(scenario: Scenario): Scenario {
  const steps = scenario.steps.map((step) => ({ ...step, same: step.same || step.diffs.every(isOlder) }));
  return { ...scenario, steps };
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
  const alone = ['--api-only', '--disable-admission-plugins=ServiceAccount'];
  const lanes = [
    ['a real kube-apiserver', { up: alone, replay: [], least: 1400 }],
    [
      'a real control plane',
      { up: ['--runtime', 'none'], replay: ['--controllers', '--only', 'controllers/'], least: 50 },
    ],
  ] as const;
  describe.each(lanes)('recorded answers of %s', (_title, lane) => {
    let folder: string;
    let server: ReturnType<typeof spawn>;
    let address: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tektite-golden-'));
      const tokens = join(folder, 'tokens.csv');
      await writeFile(tokens, `${token},admin,admin,"system:masters"\n`);
      const flags = ['--data-dir', join(folder, 'data'), '--port', '0', '--token-auth-file', tokens];
      server = spawn(process.execPath, [bin, 'up', ...lane.up, ...flags], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
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
      const flags = [...lane.replay, ...(hasKubectl ? [] : ['--no-kubectl'])];
      const report = await replay(flags);
      const listed = await listedDifferences();
      const unexplained = (scenario: Scenario) =>
        scenario.steps.filter(({ step, same }) => !same && !listed.has(`${scenario.id} ${step}`));
      // The recording says of itself that some steps race. What differs is played once more, alone.
      const suspects = report.filter((scenario) => unexplained(scenario).length > 0).map(({ id }) => id);
      const again =
        suspects.length > 0
          ? await replay([
              ...flags.filter((flag) => !flag.startsWith('controllers') && flag !== '--only'),
              ...suspects.flatMap((id) => ['--only', id]),
            ])
          : [];
      if (suspects.length > 0) console.warn(`golden transcripts: played again: ${suspects.join(', ')}`);

      const scenarios = report.map((scenario) => again.find(({ id }) => id === scenario.id) ?? scenario);
      const steps = scenarios.flatMap((scenario) => scenario.steps);
      const same = scenarios.filter((scenario) => scenario.steps.every((step) => step.same));
      console.log(
        `golden transcripts: ${steps.filter((step) => step.same).length}/${steps.length} steps, ${same.length}/${scenarios.length} scenarios the same`,
      );
      const failures = scenarios.flatMap((scenario) =>
        unexplained(scenario).map(({ step, label, diffs }) => ({ id: scenario.id, step, label, first: diffs[0] })),
      );
      expect(failures).toEqual([]);
      expect(steps.length).toBeGreaterThanOrEqual(lane.least);
    }, 300_000);

    async function replay(flags: readonly string[]): Promise<readonly Scenario[]> {
      const reportFile = join(folder, 'report.json');
      const compact = `${process.execPath} ${bin} compact --data-dir ${join(folder, 'data')}`;
      await promisify(execFile)(process.execPath, [tool, '--report-only', '--quiet', '--json', reportFile, ...flags], {
        env: { ...process.env, KUBE_SERVER: address, KUBE_TOKEN: token, COMPACT_CMD: compact },
        maxBuffer: 64 * 1024 * 1024,
      });
      const { scenarios } = JSON.parse(await readFile(reportFile, 'utf8')) as {
        readonly scenarios: readonly Scenario[];
      };
      return scenarios.map(withoutCalendar);
    }
  });
}
