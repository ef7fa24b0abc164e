import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeObject } from '@tektite/meta';
import { entrypointProgram } from '@tektite/pipelines';
import { describe, expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';
import { type GitFacts, webAddress } from './git-facts.ts';
import { eventOf, fillVariables, variablesOf } from './pac-event.ts';
import { matchesEvent, matchesGlob, wordsOf } from './pac-match.ts';

const git: GitFacts = {
  root: '/shop',
  revision: 'abc',
  title: 'Add a cart',
  sender: 'Ada',
  branch: 'feature',
  defaultBranch: 'main',
  url: 'https://git.test/Acme/Shop',
  changedFiles: ['src/cart.ts', 'docs/a/b.md'],
  hasUncommitted: false,
};

describe('the event of a repository', () => {
  it('is a push on the default branch, and a pull request to it on others', () => {
    expect(eventOf({ ...git, branch: 'main' }, undefined)).toMatchObject({ type: 'push', targetBranch: 'main' });
    expect(eventOf(git, undefined)).toMatchObject({
      type: 'pull_request',
      sourceBranch: 'feature',
      targetBranch: 'main',
    });
    expect(eventOf(git, 'push')).toMatchObject({ type: 'push', targetBranch: 'feature' });
  });

  it('fills variables in, and names those that it has no value for', () => {
    const values = variablesOf(eventOf(git, undefined), 'ci');
    expect(
      fillVariables('{{revision}} {{ repo_owner }}/{{ repo_name }} {{ body.x }} $(params.a) ${{ x', values),
    ).toEqual({
      text: 'abc acme/shop {{ body.x }} $(params.a) ${{ x',
      unknown: ['body.x'],
    });
  });

  it.each([
    ['git@git.test:acme/shop.git', 'https://git.test/acme/shop'],
    ['ssh://git@git.test:2222/acme/shop', 'https://git.test/acme/shop'],
    ['https://me:secret@git.test/acme/shop.git', 'https://git.test/acme/shop'],
    ['/srv/git/shop.git', '/srv/git/shop'],
  ])('has the address of the remote %s, without credentials', (remote, address) => {
    expect(webAddress(remote)).toBe(address);
  });
});

describe('annotations', () => {
  const run = (annotations: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: {
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`pipelinesascode.tekton.dev/${key}`, value]),
      ),
    },
  });

  it.each<[Readonly<Record<string, string>>, boolean]>([
    [{ 'on-event': '[pull_request, push]', 'on-target-branch': '[main]' }, true],
    [{ 'on-event': 'pull_request', 'on-target-branch': 'release-*, refs/heads/ma*' }, true],
    [{ 'on-event': '[push]', 'on-target-branch': '[main]' }, false],
    [{ 'on-event': '[pull_request]', 'on-target-branch': '[other]' }, false],
    [{ 'on-event': '[pull_request]', 'on-target-branch': '[main]', 'on-path-change': '[docs/**]' }, true],
    [{ 'on-event': '[pull_request]', 'on-target-branch': '[main]', 'on-path-change': '[docs/*]' }, false],
    [
      { 'on-event': '[pull_request]', 'on-target-branch': '[main]', 'on-path-change-ignore': '[docs/**, src/**]' },
      false,
    ],
    [{ 'on-cel-expression': 'event == "pull_request" && target_branch == "main"' }, true],
    [{ 'on-cel-expression': 'source_branch.startsWith("fix") || "src/*.ts".pathChanged()' }, true],
    [{ 'on-cel-expression': 'event_title.contains("cart") && "*.md".pathChanged()' }, false],
    [{}, false],
  ])('%j match: %s', (annotations, expected) => {
    expect(matchesEvent(run(annotations), eventOf(git, undefined))).toBe(expected);
  });

  it('are lists in brackets or without', () => {
    expect(wordsOf('[a, "b" ,c]')).toEqual(['a', 'b', 'c']);
    expect(wordsOf('a')).toEqual(['a']);
    expect(matchesGlob('{a,b}/**/*.go', 'b/x/y/z.go')).toBe(true);
  });
});

describe.runIf(entrypointProgram())('tektite run .tekton/', () => {
  it('runs what is for the current branch, with the Tasks that annotations name', () => {
    using scratch = new Scratch();
    const write = (name: string, text: string) => {
      mkdirSync(dirname(join(scratch.path, name)), { recursive: true });
      writeFileSync(join(scratch.path, name), text);
    };
    const run = (event: string) => `apiVersion: tekton.dev/v1
kind: PipelineRun
metadata:
  generateName: on-${event.replace('_', '-')}-
  annotations:
    pipelinesascode.tekton.dev/on-event: "[${event}]"
    pipelinesascode.tekton.dev/on-target-branch: "[main]"
    pipelinesascode.tekton.dev/task: "[tasks/show.yaml]"
spec:
  params:
    - name: text
      value: {{ revision }} of {{ repo_url }}
  workspaces:
    - {name: auth, secret: {secretName: "{{ git_auth_secret }}"}}
  pipelineSpec:
    params: [{name: text}]
    workspaces: [{name: auth}]
    tasks:
      - {name: show, taskRef: {name: show}, params: [{name: text, value: ${event} $(params.text)}]}
`;
    write('.tekton/push.yaml', run('push'));
    write(
      '.tekton/pull.yaml',
      run('pull_request').replace('text}]', 'text}] # {{ commented }}\n    description: "{{ body.title }}"'),
    );
    write(
      'tasks/show.yaml',
      'apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: show}\nspec: {params: [{name: text}], steps: [{name: s, image: busybox, script: "echo $(params.text)"}]}\n',
    );
    const command = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], {
        cwd: scratch.path,
        encoding: 'utf8',
      }).trim();
    command('init', '--quiet', '--initial-branch', 'main');
    command('add', '.');
    command('commit', '--quiet', '-m', 'Begin');
    command('remote', 'add', 'origin', 'git@git.test:acme/shop.git');
    const revision = command('rev-parse', 'HEAD');
    const text = `${revision} of https://git.test/acme/shop`;
    expect(scratch.tektite(['run', '.tekton/'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`] push ${text}\n`),
      err: expect.not.stringContaining('no value'),
    });
    command('checkout', '--quiet', '-b', 'feature');
    const pull = scratch.tektite(['run', '.tekton/']);
    expect(pull.out).toContain(`] pull_request ${text}\n`);
    expect(pull.err).toMatch(/^\.tekton\/pull\.yaml: no value here for \{\{ body\.title \}\}$/m);
    expect(pull.err).toContain(`event: a pull_request from feature to main at ${revision.slice(0, 12)}`);
    expect(scratch.tektite(['run', '.tekton/', '--event', 'push'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'no run is for a push from feature to feature: there are on-pull-request-, on-push-; choose one with --name',
      ),
    });
    expect(scratch.tektite(['run', '.tekton/', '--name', 'on-push']).code).toBe(0);
  });
});
