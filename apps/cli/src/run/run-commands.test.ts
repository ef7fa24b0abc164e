import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entrypointProgram } from '@tektite/pipelines';
import { describe, expect, it } from 'vitest';
import { eventually, Scratch } from '../test-support.ts';

const pipelineRun = `
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: release}
spec:
  params: [{name: who, value: world}]
  pipelineSpec:
    params: [{name: who}]
    tasks:
    - name: greet
      taskSpec:
        results: [{name: text}]
        steps: [{name: say, image: busybox, script: "printf 'hello $(params.who)' | tee $(results.text.path)"}]
    - name: wait
      params: [{name: text, value: $(tasks.greet.results.text)}]
      taskSpec:
        params: [{name: text}]
        steps: [{name: sleep, image: busybox, script: "echo got $(params.text); sleep 60"}]
    finally:
    - name: tidy
      taskSpec:
        steps: [{name: up, image: busybox, script: "echo tidy"}]
`;

describe.runIf(entrypointProgram())('tektite logs, describe, cancel and rerun', () => {
  it('show a run of a cluster, and cancel it', async () => {
    using scratch = new Scratch();
    await using plane = await scratch.up('--systems', 'pipelines', '--runtime', 'host');
    const at = ['--kubeconfig', plane.kubeconfig];
    writeFileSync(join(scratch.path, 'release.yaml'), pipelineRun);
    await using running = await scratch.start(['run', '-f', 'release.yaml', ...at], /got hello world/);

    const described = scratch.tektite(['describe', 'release', ...at]);
    expect(described.out).toMatch(/params +who = world/);
    expect(described.out).toMatch(/├─ ✓ greet/);
    expect(described.out).toMatch(/├─ ▶ wait/);
    expect(described.out).toMatch(/└─ · tidy \(finally\) {2}waits for all others/);

    expect(scratch.tektite(['cancel', 'pr/release', '--mode', 'run-finally', ...at]).out).toBe(
      'PipelineRun release: cancellation requested\n',
    );
    await eventually(() => running.child.exitCode).toBe(1);
    expect(running.output).toContain('[tidy : up] tidy');
    expect(running.output).toMatch(/Cancelled: /);

    // A completed run reports the same to a client that comes late.
    const logs = scratch.tektite(['logs', 'release', ...at]);
    expect(logs.out).toContain('[greet : say] hello world');
    expect(logs.out).toContain('[tidy : up] tidy');
    expect(logs.code).toBe(0);
    expect(scratch.tektite(['cancel', 'release', ...at])).toMatchObject({
      code: 1,
      err: 'tektite: PipelineRun release has completed: Cancelled\n',
    });
    expect(scratch.tektite(['logs', 'tr/nobody', ...at]).err).toBe(
      'tektite: there is no TaskRun "nobody" in the namespace default; -n names another\n',
    );
  });

  it('run a pipeline again from where it failed, with the results of what succeeded', async () => {
    using scratch = new Scratch();
    await using plane = await scratch.up('--systems', 'pipelines', '--runtime', 'host');
    const at = ['--kubeconfig', plane.kubeconfig];
    const flag = join(scratch.path, 'mended');
    writeFileSync(
      join(scratch.path, 'release.yaml'),
      pipelineRun.replace('sleep 60', `cat /flags/mended`).replace(
        'taskSpec:\n        params: [{name: text}]',
        `taskSpec:
        params: [{name: text}]
        volumes: [{name: flags, hostPath: {path: ${scratch.path}}}]
        stepTemplate: {volumeMounts: [{name: flags, mountPath: /flags}]}`,
      ),
    );
    const first = scratch.tektite(['run', '-f', 'release.yaml', ...at]);
    expect(first.out).toContain('[greet : say] hello world');
    expect(first.code).toBe(1);
    writeFileSync(flag, 'mended now\n');
    const second = scratch.tektite(['rerun', 'release', '--from-failed', ...at]);
    expect(second.err).toContain('not run again, because they succeeded: greet');
    expect(second.out).not.toContain('[greet : say]');
    expect(second.out).toContain('[wait : sleep] got hello world\n[wait : sleep] mended now');
    expect(second.code).toBe(0);
    const whole = scratch.tektite(['rerun', 'release', ...at]);
    expect(whole.out).toContain('[greet : say] hello world');
    expect(whole.code).toBe(0);
    expect(scratch.tektite(['rerun', 'tr/release-greet', '--from-failed', ...at]).err).toContain(
      'a TaskRun has no tasks',
    );
  });
});
