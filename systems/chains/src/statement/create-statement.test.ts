import { describe, expect, it } from 'vitest';
import { imagesIn } from '../artifacts/type-hints.ts';
import { formatImageDigest } from '../artifacts/image-digest.ts';
import { parseChainsConfig } from '../config/chains-config.ts';
import type { PipelineRun, RunResult, TaskRun } from '../kinds/runs.ts';
import { createStatement } from './create-statement.ts';
import { printStatement } from './statement.ts';

/** Answers of upstream's formatters for the same runs. */

const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
const result = (name: string, value: RunResult['value']): RunResult => ({ name, value });
const options = parseChainsConfig({});

function taskRun(name: string, status: TaskRun['status'], spec: TaskRun['spec'] = {}): TaskRun {
  const metadata = { name, uid: 'u', labels: { 'tekton.dev/pipelineTask': name } };
  return { apiVersion: 'tekton.dev/v1', kind: 'TaskRun', metadata, spec, status: { completionTime: 't', ...status } };
}

const statementOf = (run: TaskRun, format: string) =>
  JSON.parse(printStatement(createStatement({ kind: 'TaskRun', run }, format, options))) as {
    readonly predicate: { readonly materials: unknown; readonly runDetails: { readonly byproducts: unknown } };
  };

describe('type hints', () => {
  it.each<[string, RunResult[], string[]]>([
    [
      'a URL and a digest',
      [result('IMAGE_URL', 'busybox'), result('IMAGE_DIGEST', `sha256:${a}\n`)],
      [`index.docker.io/library/busybox@sha256:${a}`],
    ],
    ['a URL without a digest', [result('IMAGE_URL', 'busybox')], []],
    [
      'prefixed names',
      [result('x-IMAGE_URL', 'r.io/xx'), result('x-IMAGE_DIGEST', `sha256:${a}`)],
      [`r.io/xx@sha256:${a}`],
    ],
    [
      'a list of images',
      [result('IMAGES', `r.io/xx@sha256:${a},\n r.io/yy@sha256:${b} `)],
      [`r.io/xx@sha256:${a}`, `r.io/yy@sha256:${b}`],
    ],
    ['a digest that is too short', [result('IMAGE_URL', 'r.io/xx'), result('IMAGE_DIGEST', 'sha256:short')], []],
    [
      'a built artifact',
      [result('o-ARTIFACT_OUTPUTS', { uri: 'r.io/xx', digest: `sha256:${a}`, isBuildArtifact: 'true' })],
      [`r.io/xx@sha256:${a}`],
    ],
    ['an artifact that was passed on', [result('o-ARTIFACT_OUTPUTS', { uri: 'r.io/xx', digest: `sha256:${a}` })], []],
  ])('name images by %s', (_title, results, images) => {
    expect(imagesIn(results).map(formatImageDigest)).toEqual(images);
  });
});

describe('a statement', () => {
  it('prints the fields of steps that are not there, as upstream does', () => {
    const run = taskRun('t', {
      taskSpec: { steps: [{ name: 's', command: ['make', 'it'] }] },
      steps: [{ name: 's', imageID: `docker-pullable://r.io/xx@sha256:${a}` }],
    });
    expect(statementOf(run, 'in-toto')).toMatchObject({
      _type: 'https://in-toto.io/Statement/v0.1',
      predicate: {
        buildConfig: {
          steps: [
            {
              entryPoint: 'make it',
              arguments: null,
              annotations: null,
              environment: { container: 's', image: `oci://r.io/xx@sha256:${a}` },
            },
          ],
        },
        materials: [{ uri: 'oci://r.io/xx', digest: { sha256: a } }],
      },
    });
  });

  it('completes the address of a git repository, also an empty one', () => {
    const commit = (results: RunResult[]) => statementOf(taskRun('t', { results }), 'slsa/v1').predicate.materials;
    expect(commit([result('CHAINS-GIT_URL', 'https://g/x'), result('CHAINS-GIT_COMMIT', 'c')])).toEqual([
      { uri: 'git+https://g/x.git', digest: { sha1: 'c' } },
    ]);
    expect(commit([result('CHAINS-GIT_COMMIT', 'c')])).toEqual([{ uri: 'git+.git', digest: { sha1: 'c' } }]);
  });

  it('has the results that are no artifacts as by-products, encoded as Go encodes them', () => {
    const run = taskRun('t', {
      results: [result('note', '<b>'), result('IMAGES', ''), result('map', { z: '1', a: '2' })],
    });
    const { byproducts } = statementOf(run, 'slsa/v2alpha4').predicate.runDetails as {
      byproducts: { name: string; content: string }[];
    };
    expect(byproducts.map(({ name, content }) => [name, Buffer.from(content, 'base64').toString()])).toEqual([
      ['taskRunResults/t/note', '"\\u003cb\\u003e"'],
      ['taskRunResults/t/map', '{"a":"2","z":"1"}'],
    ]);
  });

  it('of a PipelineRun has subjects of its TaskRuns only on demand', () => {
    const child = taskRun('build', { results: [result('IMAGES', `r.io/xx@sha256:${a}`)] });
    const run: PipelineRun = {
      apiVersion: 'tekton.dev/v1',
      kind: 'PipelineRun',
      metadata: { name: 'p', uid: 'u' },
      status: { pipelineSpec: { tasks: [{ name: 'build' }] } },
    };
    const subjects = (deepInspection: boolean) =>
      createStatement({ kind: 'PipelineRun', run, taskRuns: [child] }, 'slsa/v2alpha3', { ...options, deepInspection })
        .subject;
    expect(subjects(false)).toEqual([]);
    expect(subjects(true)).toEqual([{ name: 'r.io/xx', digest: { sha256: a } }]);
  });

  it('cannot be made about an image whose digest is not known', () => {
    const run = taskRun('t', { steps: [{ name: 's', imageID: 'busybox' }] });
    expect(() => statementOf(run, 'in-toto')).toThrow('expected imageID busybox to be separable by @');
  });
});

describe('a step that ran as a program of the machine', () => {
  it('is a material without a digest', () => {
    const run = taskRun('t', { steps: [{ name: 's', imageID: 'host://busybox' }] });
    expect(statementOf(run, 'in-toto')).toMatchObject({ predicate: { materials: [{ uri: 'host://busybox' }] } });
  });
});

describe('the settings', () => {
  it('are refused in the words of upstream', () => {
    expect(() => parseChainsConfig({ 'artifacts.taskrun.signer': 'gpg' })).toThrow(
      'failed to parse data: invalid value "gpg" wanted one of [kms none x509]',
    );
  });
});
