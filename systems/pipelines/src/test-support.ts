import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@tektite/meta';
import { type FeatureFlags, featureFlags } from './config/feature-flags.ts';
import type { TaskRun } from './kinds/task-run.ts';

/** Recordings of Tekton's own controller. They lie beside the repository, where there are any. */
const golden = new URL('../../../../shared/golden/tekton/', import.meta.url).pathname;

export const hasGolden: boolean = existsSync(golden);
if (!hasGolden) {
  process.stderr.write('golden Tekton cases: ../shared is absent; nothing is compared\n');
}

type ConfigMaps = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** One recorded case: what was created, how the controller was set, and what was there in the end. */
export interface GoldenCase {
  readonly name: string;
  readonly config: ConfigMaps;
  readonly flags: FeatureFlags;
  readonly inputs: readonly KubeObject[];
  /** By `Kind/name`. */
  readonly objects: Readonly<Record<string, KubeObject>>;
  readonly taskRuns: readonly TaskRun[];
}

export function* goldenCases(): Generator<GoldenCase> {
  const read = <T>(file: string) => JSON.parse(readFileSync(join(golden, file), 'utf8')) as T;
  const base = read<ConfigMaps>('base-config.json');
  for (const file of readdirSync(golden, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('expected.json')) continue;
    const folder = file.replace('/expected.json', '');
    const { config = {} } = read<{ config?: ConfigMaps }>(`${folder}/case.json`);
    const { objects = {} } = read<{ objects?: Record<string, KubeObject> }>(file);
    const flags = featureFlags.parse({ ...base['feature-flags'], ...config['feature-flags'] });
    const taskRuns = Object.values(objects).filter(({ kind }) => kind === 'TaskRun') as TaskRun[];
    yield { name: folder, config, flags, inputs: read(`${folder}/input.json`), objects, taskRuns };
  }
}
