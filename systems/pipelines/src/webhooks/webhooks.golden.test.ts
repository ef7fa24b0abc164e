import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equalJson, type KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../rules/decode-object.ts';
import { admit, kindOf, type Settings } from './test-support.ts';

/** Recorded answers of Tekton's own webhook. They lie beside the repository, where there are any. */
const golden = new URL('../../../../../shared/golden/tekton/', import.meta.url).pathname;

/** Documents for which the answer is not (yet) upstream's. This list only ever gets shorter. */
const different: readonly string[] = [];

interface Outcome {
  readonly accepted?: boolean;
  readonly create?: string;
  readonly message?: string;
}

interface Case {
  readonly name: string;
  readonly settings: Settings;
  readonly document: KubeObject;
  readonly denial: string | undefined;
  readonly object: KubeObject | undefined;
}

/** Placeholders stand for what differs from run to run. */
function readJson<T>(...path: readonly string[]): T {
  const text = readFileSync(join(golden, ...path), 'utf8')
    .replaceAll(/\{\{namespace\}\}|\{ns\}/g, 'default')
    .replaceAll('{time}', '2026-01-01T00:00:00Z')
    .replaceAll('"{digest}"', '{"sha256": "1"}');
  return JSON.parse(text) as T;
}

function* cases(): Generator<Case> {
  const base = readJson<Settings>('base-config.json');
  for (const file of readdirSync(golden, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('expected.json')) continue;
    const folder = join(file, '..');
    const {
      config = {},
      kind,
      actions,
    } = readJson<{ config?: Settings; kind: string; actions?: unknown }>(folder, 'case.json');
    const { outcome = [], objects = {} } = readJson<{
      outcome?: readonly Outcome[];
      objects?: Record<string, KubeObject>;
    }>(file);
    const settings = {
      'feature-flags': { ...base['feature-flags'], ...config['feature-flags'] },
      'config-defaults': { ...base['config-defaults'], ...config['config-defaults'] },
    };
    for (const [index, input] of readJson<readonly KubeObject[]>(folder, 'input.json').entries()) {
      if (!kindOf(input)) continue;
      const document = { ...input, metadata: { name: 'generated', ...input.metadata } };
      const key = `${input.kind}/${input.metadata.name}`;
      const answer = kind === 'admission' ? outcome[index] : outcome.find(({ create }) => create === key);
      const object = actions ? undefined : objects[key];
      yield { name: `${folder} ${key}`, settings, document, denial: answer?.message, object };
    }
  }
}

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, item: unknown) => (item === null ? undefined : item))) as unknown;
}

/** The part that the recording contains: without nulls, and without additions of the server or the controller. */
function recorded({ spec, metadata }: KubeObject & { readonly spec?: unknown }): unknown {
  return withoutNulls({ spec, labels: metadata.labels });
}

async function difference({ document, settings, denial, object }: Case): Promise<unknown> {
  const ours = await admit(document, settings);
  if (ours.denial !== denial) return { ours: ours.denial, theirs: denial };
  if (!object || !ours.object || object.kind !== document.kind || object.apiVersion !== document.apiVersion)
    return undefined;
  const [mine, theirs] = [recorded(ours.object), recorded(object)] as { spec: unknown }[];
  return equalJson(mine?.spec, theirs?.spec) ? undefined : { ours: mine?.spec, theirs: theirs?.spec };
}

describe.runIf(existsSync(golden))("Tekton's own answers to objects of all kinds", () => {
  it('are ours, but for those that are listed', async () => {
    const found: string[] = [];
    let total = 0;
    for (const each of cases()) {
      total++;
      const unlike = await difference(each);
      if (unlike === undefined) continue;
      found.push(each.name);
      if (!different.includes(each.name)) console.log(each.name, JSON.stringify(unlike, undefined, 1));
    }
    console.log(`the same: ${total - found.length} of ${total}`);
    expect(found.sort()).toEqual([...different].sort());
  });
});

describe.runIf(existsSync(golden))("Tekton's own runs", () => {
  it('are the same after they were read and printed, with their status', () => {
    for (const file of readdirSync(golden, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('expected.json')) continue;
      const { objects = {} } = readJson<{ objects?: Record<string, KubeObject> }>(file);
      for (const object of Object.values(objects)) {
        const kind = kindOf(object);
        if (!kind || !['TaskRun', 'PipelineRun', 'CustomRun', 'ResolutionRequest'].includes(kind.kind)) continue;
        const printed = withoutNulls(decodeObject(kind, object)) as { status?: object };
        const { status: _, ...fresh } = printed;
        expect('status' in object ? printed : fresh).toEqual(object);
      }
    }
  });
});

if (!existsSync(golden)) console.warn('golden Tekton cases: ../shared is absent; nothing is compared');
