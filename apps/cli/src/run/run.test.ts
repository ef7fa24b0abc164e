import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { entrypointProgram } from '@tektite/pipelines';
import { afterAll, describe, expect, it } from 'vitest';
import { startCollector } from '../observe/test-support.ts';
import { Scratch } from '../test-support.ts';

/** The command as people run it, which is as it was built last. */
const bin = new URL('../../bin/tektite.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'tektite-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function tektite(args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'run', ...args], {
    encoding: 'utf8',
    input,
    timeout: 30_000,
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

const task = (lastStep: string) => `
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: greet}
spec:
  params: [{name: who, default: nobody}, {name: more, type: array, default: []}]
  results: [{name: greeting, type: string}]
  steps:
  - name: say
    image: busybox
    args: ["$(params.more[*])"]
    script: |
      echo "hello $(params.who)" "$@" | tee $(results.greeting.path)
  - name: last
    image: busybox
    script: |
      ${lastStep}
`;

/** The command lines of all processes of this machine. */
function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    });
}

describe.runIf(entrypointProgram())('tektite run', () => {
  it('runs a Task on this machine, shows its logs and results, and needs no cluster', () => {
    const { code, out } = tektite([
      '-f',
      file('task.yaml', task('cat /tekton/results/greeting')),
      '-p',
      'who=world',
      '-p',
      'more=["and","all"]',
    ]);
    expect(out.replace(/greet-\w+/, 'greet-x').replace(/ in [\d.]+ m?s/, '')).toBe(
      'TaskRun greet-x\n[say] hello world and all\n[say] ✓\n[last] hello world and all\n[last] ✓\nSucceeded\nresults:\n  greeting = hello world and all\n',
    );
    expect(code).toBe(0);
  });

  it('reports a failure by its exit code, and every event as JSON with -o json', () => {
    const { code, out } = tektite(['-f', '-', '-o', 'json'], task('exit 3'));
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events).toContainEqual(expect.objectContaining({ step: 'say', line: 'hello nobody' }));
    expect(events.at(-1)).toMatchObject({
      succeeded: false,
      reason: 'StepFailed',
      message: '"step-last" exited with code 3: Error',
    });
    expect(code).toBe(1);
  });

  it.each([
    [
      'a time that is none',
      'apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: t}\nspec:\n  steps:\n    - image: bash\n      timeout: abc\n',
      /bad\.yaml:7: spec\.steps\[0\]\.timeout must be a time, as 30s or 1h30m, not "abc"/,
    ],
    ['YAML that is none', 'a: [', /bad\.yaml:1:\d+: did not find expected/],
    ['something that is no object', 'a: 1', 'bad.yaml:1: this is no Kubernetes object: it needs apiVersion and kind'],
    [
      'nothing to run',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}',
      'there is no PipelineRun, TaskRun, Pipeline or Task in what is to be run, only ConfigMap',
    ],
    ['a name that is none', 'apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: A_B}\nspec: {}', 'A_B'],
    [
      'an unknown kind',
      `apiVersion: a.test/v1\nkind: Thing\n---${task('true')}`,
      'bad.yaml:2: there is no kind "Thing"',
    ],
  ])('says what is wrong with %s, with exit code 2', (_title, content, message) => {
    const { code, err } = tektite(['-f', file('bad.yaml', content)]);
    expect(err).toMatch(message);
    expect(err).not.toContain('    at ');
    expect(code).toBe(2);
  });

  it('takes results of more than 4 KB where the run asks for it, and says what is wrong where it does not', () => {
    const run = (annotations: string) => `
apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: long, annotations: {${annotations}}}
spec:
  taskSpec:
    results: [{name: report}]
    steps:
    - name: write
      image: busybox
      script: |
        i=0; while [ $i -lt 2000 ]; do printf '0123456789'; i=$((i + 1)); done > $(results.report.path)
`;
    const asked = tektite(['-f', file('long.yaml', run('tektite.dev/termination-message-limit: 64Ki'))]);
    expect(asked.code).toBe(0);
    expect(asked.out).toContain(`report = ${'0123456789'.repeat(2000)}`);
    const plain = tektite(['-f', file('short.yaml', run(''))]);
    expect(plain.code).toBe(1);
    expect(plain.out).toContain('Termination message is above max allowed size 4096, caused by large task result.');
  });

  it('writes reports for CI, and those of GitHub Actions without a flag', () => {
    const out = mkdtempSync(join(folder, 'reports-'));
    const at = (name: string) => join(out, name);
    const path = file(
      'reported.yaml',
      `apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: reported}
spec:
  pipelineSpec:
    tasks:
      - {name: good, taskSpec: {steps: [{name: s, image: busybox, script: "echo fine"}]}}
      - {name: bad, taskSpec: {steps: [{name: s, image: busybox, script: "echo broken; exit 4"}]}}
`,
    );
    const reports = ['--report', `junit=${at('j.xml')}`, '--report', `html=${at('r.html')}`];
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: at('summary.md'), GITHUB_WORKSPACE: folder };
    const { code, out: said } = tektite([path, ...reports], '', env);
    expect(said).toContain(`::error file=reported.yaml,line=8,title=reported%3A bad::step s: exit code 4%0Abroken\n`);
    expect(readFileSync(at('j.xml'), 'utf8')).toMatch(/tests="2" failures="1" skipped="0"/);
    expect(readFileSync(at('r.html'), 'utf8')).toMatch(/<svg [^]*✗ bad/);
    expect(readFileSync(at('summary.md'), 'utf8')).toMatch(/\| good \| ✓ succeeded \| .*s \|\n/);
    expect(code).toBe(1);
  });

  it('makes Secrets of files, gives variables to all steps, and keeps what a run leaves when asked', () => {
    const kept = mkdtempSync(join(folder, 'kept-'));
    const path = file(
      'secret.yaml',
      `apiVersion: tekton.dev/v1
kind: Task
metadata: {name: secret}
spec:
  workspaces: [{name: token}]
  steps: [{name: s, image: busybox, script: "echo $COLOUR $(cat $(workspaces.token.path)/key)"}]
`,
    );
    const secret = ['--secret', `mine/key=${file('token.txt', 'open sesame')}`, '-w', 'token=secret:mine'];
    const { code, out, err } = tektite([path, ...secret, '--env', 'COLOUR=blue', '--keep'], '', { TMPDIR: kept });
    expect(out).toContain('[s] blue open sesame\n');
    expect(code).toBe(0);
    const [, left = ''] = /^kept in (\S+): objects\.yaml, node\/logs, volumes$/m.exec(err) ?? [];
    expect(readFileSync(join(left, 'objects.yaml'), 'utf8')).toMatch(/^kind: TaskRun$/m);
    rmSync(left, { recursive: true });
    expect(readdirSync(kept)).toEqual([]);
  });

  it('names what helps where the server does not have Tekton Pipelines', async () => {
    using scratch = new Scratch();
    await using plane = await scratch.up();
    const { code, err } = tektite([file('task.yaml', task('true')), '--kubeconfig', plane.kubeconfig]);
    expect(err).toMatch(
      /^tektite: the server does not have Tekton Pipelines; start it with `tektite up --systems pipelines`/,
    );
    expect(code).toBe(2);
  });

  it('runs again when a file changes, also after one that cannot be read, until Ctrl-C', async () => {
    using scratch = new Scratch();
    const path = join(scratch.path, 'watched.yaml');
    writeFileSync(path, task('echo first'));
    await using running = await scratch.start(['run', path, '--watch'], /first[^]*waiting for changes/);
    running.output = '';
    writeFileSync(path, 'a: [');
    await running.said(/watched\.yaml:1:\d+: did not find[^]*waiting for changes/);
    running.output = '';
    writeFileSync(path, task('echo second'));
    await running.said(/second[^]*waiting for changes/);
    expect(await running.stop('SIGINT')).toMatchObject({ code: 130 });
  });

  it('shows no more of the machine to the image of its own shell than to others', () => {
    const step = (image: string) =>
      `apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: peek}\nspec: {taskSpec: {steps: [{name: s, image: ${image}, script: "ls -A / /home /root /var"}]}}\n`;
    const seen = (image: string) => tektite(['-f', '-', '--runtime', 'host'], step(image)).out.replace(/ in .*/, '');
    expect(seen('tektite.dev/shell')).toBe(seen('anything'));
  });

  it('exports traces if a collector is configured, and the reconciles of a run share one trace', async () => {
    await using collector = await startCollector();
    const path = file(
      'traced.yaml',
      `apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: traced}
spec: {taskSpec: {steps: [{name: s, image: busybox, script: "echo hi"}]}}
`,
    );
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const child = spawn(process.execPath, [bin, 'run', '-f', path], { env, stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([0, null]);
    const reconciles = collector.spans.filter(({ name }) => name === 'reconcile taskrun');
    const first = reconciles.filter(({ traceId }) => traceId === reconciles[0]?.traceId);
    expect(first.length).toBeGreaterThan(1);
    // Caches do not keep the trace of a completed run.
    expect(reconciles.length - first.length).toBeLessThan(3);
  });

  it.runIf(existsSync('/usr/bin/curl'))('lets a step ask the API, as its service account', () => {
    const { code, out } = tektite(
      ['-f', '-', '--runtime', 'host'],
      `apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: asking}
spec:
  taskSpec:
    steps:
    - name: ask
      image: curl
      script: |
        cd /var/run/secrets/kubernetes.io/serviceaccount
        url=https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT
        review='{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'
        /usr/bin/curl --silent --show-error --noproxy '*' --cacert ca.crt -H "Authorization: Bearer $(cat token)" \\
          -H 'Content-Type: application/json' -d "$review" $url/apis/authentication.k8s.io/v1/selfsubjectreviews
`,
    );
    expect(out).toContain('system:serviceaccount:default:default');
    expect(code).toBe(0);
  });

  it('gives a Task the files of a folder, and keeps what it writes there', () => {
    const source = mkdtempSync(join(folder, 'source-'));
    writeFileSync(join(source, 'in'), 'from outside');
    const copy = `
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: copy}
spec:
  workspaces: [{name: source}]
  steps: [{name: copy, image: busybox, workingDir: $(workspaces.source.path), script: "cp in out; echo done"}]
`;
    const { code, out } = tektite(['-f', '-', '-w', `source=${source}`], copy);
    expect(out).toContain('[copy] done\n');
    expect(code).toBe(0);
    expect(readFileSync(join(source, 'out'), 'utf8')).toBe('from outside');
  });

  it('reads what to run from a URL, and runs what comes before the Task it needs', async () => {
    const run = 'apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: mine}\nspec: {taskRef: {name: greet}}\n---';
    const server = createServer((_request, response) => response.end(`${run}${task('true')}`)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const child = spawn(process.execPath, [bin, 'run', '-f', `http://127.0.0.1:${port}/run.yaml`]);
    const [[code], out] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
    server.close();
    expect(out).toContain('TaskRun mine');
    expect(code).toBe(0);
  });

  it('shows a tree with times where there is a terminal', () => {
    const command = `${process.execPath} ${bin} run -f ${file('live.yaml', task('sleep 0.3'))}`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8', timeout: 30_000 });
    const plain = stripVTControlCharacters(stdout);
    expect(plain).toMatch(/▶ greet-\w+ [\d.]+ m?s/);
    expect(plain).toMatch(/├─ ✓ say [\d.]+ m?s\r\n└─ ✓ last \d+ ms\r\nSucceeded in/);
  });

  it('ends at once with Ctrl-C while its control plane starts, and leaves no files', async () => {
    const temporary = mkdtempSync(join(folder, 'starting-'));
    const env = { ...process.env, TMPDIR: temporary };
    const child = spawn(process.execPath, [bin, 'run', file('early.yaml', task('sleep 600'))], {
      env,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await expect.poll(() => readdirSync(temporary), { interval: 5, timeout: 15_000 }).not.toEqual([]);
    const before = performance.now();
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    // A run that is not cancelled is waited for, for fifteen seconds.
    expect(performance.now() - before).toBeLessThan(12_000);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('cancels the run with Ctrl-C, and leaves no process behind', async () => {
    const mark = `sleep 98765${process.pid}`;
    const child = spawn(process.execPath, [bin, 'run', '-f', file('slow.yaml', task(mark))], { stdio: 'pipe' });
    const out = text(child.stdout);
    const isRunning = () => commandLines().some((line) => line.includes(mark));
    await expect.poll(isRunning, { timeout: 15_000 }).toBe(true);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    await expect.poll(isRunning).toBe(false);
    expect(await out).toMatch(/TaskRunCancelled: TaskRun "greet-\w+" was cancelled\./);
    expect(code).toBe(130);
  });
});

describe('a run whose Pod cannot start', () => {
  const stuck = (taskSpec: string) =>
    `apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: stuck}\nspec: {taskSpec: ${taskSpec}}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: empty}\n`;

  /** Runs it until that has been said, and then no longer. */
  async function expectReport(run: string, words: RegExp): Promise<void> {
    const env = { ...process.env, NO_COLOR: '1' };
    const child = spawn(process.execPath, [bin, 'run', '-f', '-'], { env });
    child.stdin.end(run);
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      printed += more;
    });
    const ended = once(child, 'exit');
    try {
      await expect.poll(() => printed).toMatch(words);
    } finally {
      child.kill('SIGINT');
    }
    // It may have failed before Ctrl-C arrived.
    expect([1, 130]).toContain((await ended)[0]);
  }

  it('reports the container and its reason', async () => {
    const env = '[{name: A, valueFrom: {secretKeyRef: {name: empty, key: k}}}]';
    const run = stuck(`{steps: [{name: s, image: busybox, command: ["true"], env: ${env}}]}`);
    await expectReport(run, /^Pod stuck-pod, container step-s: CreateContainerConfigError: .*key k in Secret/m);
  });

  it('says which volume it waits for', async () => {
    const volumes = '[{name: v, secret: {secretName: empty, items: [{key: k, path: p}]}}]';
    const step = '{name: s, image: busybox, command: ["true"], volumeMounts: [{name: v, mountPath: /v}]}';
    await expectReport(
      stuck(`{volumes: ${volumes}, steps: [${step}]}`),
      /^Pod stuck-pod: FailedMount: .*non-existent secret key: k/m,
    );
  });
});
