import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@tektite/schema/yaml';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';
import { mergeValues } from './merge-values.ts';
import { renderChart } from './test-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'tektite-chart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const systems = ['byoh', 'chains', 'connectors', 'dashboard', 'pipelines', 'results', 'tekton-operator', 'triggers'];
const many = {
  image: 'registry.example.com/tektite:7',
  replicas: 3,
  logLevel: 'debug',
  extraArgs: ['--buckets', '3'],
  envFrom: [{ secretRef: { name: 'database' } }, { configMapRef: { name: 'proxy', optional: true } }],
  resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } },
  imagePullSecrets: [{ name: 'login' }],
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'ci', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'system-cluster-critical',
  serviceMonitor: true,
  grafanaDashboard: true,
};
const few = { podDisruptionBudget: false, networkPolicy: false, crds: { install: false } };

interface Rendered {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The chart of a system, by the command, and its files. */
function chartOf(scratch: Scratch, system: string): ReadonlyMap<string, string> {
  const out = join(folder, system);
  const { code, err } = scratch.tektite(['chart', system, '--image', 'example.com/tektite:1', '--out', out]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const paths = readdirSync(out, { recursive: true }).map(String);
  const files = paths.filter((path) => /\.(yaml|json)$/.test(path));
  return new Map(files.map((path) => [path, readFileSync(join(out, path), 'utf8')]));
}

const values = (files: ReadonlyMap<string, string>) => parseYaml(files.get('values.yaml') ?? '')[0]?.value as object;

/** By name, and without what only Helm reads. */
function comparable(objects: readonly unknown[], namespace: string): readonly unknown[] {
  return (objects as readonly Rendered[])
    .filter(({ kind, metadata }) => kind !== 'Namespace' || metadata.name !== namespace)
    .map((object) => {
      const { annotations: { 'helm.sh/resource-policy': _, ...annotations } = {}, ...metadata } = object.metadata;
      return { ...object, metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata };
    })
    .sort((a, b) => (`${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1));
}

const takesOver = (system: string) => ['pipelines', 'tekton-operator', 'triggers'].includes(system);

describe.each(systems)('the chart of %s', (system) => {
  it.each([
    ['its default values', {}],
    ['many values', many],
    ['little', few],
  ])('installs what `tektite deploy` prints, with %s', (_, given) => {
    using scratch = new Scratch();
    const files = chartOf(scratch, system);
    const chosen = given === many && takesOver(system) ? { ...many, takeover: true } : given;
    const file = join(folder, 'values.yaml');
    writeFileSync(file, JSON.stringify(chosen));
    const flags = ['--image', 'example.com/tektite:1', '--values', file, '--system-namespace', 'here', '-o', 'json'];
    const deployed = scratch.tektite(['deploy', system, ...flags]);
    expect(deployed.err).toBe('');
    const rendered = renderChart(files, mergeValues(values(files), chosen), 'here');
    const printed = (JSON.parse(deployed.out) as { readonly items: readonly unknown[] }).items;
    expect(comparable(rendered, 'here')).toEqual(comparable(printed, 'here'));
  });

  it('keeps definitions when it is uninstalled, unless it must not', () => {
    using scratch = new Scratch();
    const files = chartOf(scratch, system);
    const policies = (keep: boolean) =>
      (renderChart(files, mergeValues(values(files), { crds: { keep } }), 'here') as readonly Rendered[])
        .filter(({ kind }) => kind === 'CustomResourceDefinition')
        .map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy']);
    expect(new Set(policies(true))).toEqual(new Set(policies(true).length > 0 ? ['keep'] : []));
    expect(policies(false).filter((policy) => policy !== undefined)).toEqual([]);
  });

  it('has a schema that its values follow, and mistakes do not', () => {
    using scratch = new Scratch();
    const files = chartOf(scratch, system);
    const schema = JSON.parse(files.get('values.schema.json') ?? '') as { $schema?: string };
    delete schema.$schema;
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(values(files))).toBe(true);
    expect(validate({ replica: 2 })).toBe(false);
    expect(validate({ replicas: '2' })).toBe(false);
  });
});

it('says which value is not there', () => {
  using scratch = new Scratch();
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, 'replica: 2\n');
  expect(scratch.tektite(['deploy', 'chains', '--values', file]).err).toContain('there is no value replica; there are');
  writeFileSync(file, 'replicas: two\n');
  expect(scratch.tektite(['deploy', 'chains', '--values', file]).err).toContain(
    'replicas must be of type integer, not string',
  );
});
