import { chmodSync, statSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Lane, Place } from './test-support.ts';

/** Files for git, ssh and docker from the Secrets of a ServiceAccount. */
export function credentialsCases(lane: () => Lane): void {
  let place: Place;
  beforeEach(() => {
    place = new Place(lane());
  });
  afterEach(() => place.remove());

  const secret = (name: string, keys: Record<string, string>) => {
    for (const [key, value] of Object.entries(keys)) place.write(`/tekton/creds-secrets/${name}/${key}`, value);
  };
  const both = (path: string) => {
    const content = place.read(`/tekton/creds/${path}`);
    expect(place.read(`/home/${path}`)).toBe(content);
    expect(statSync(place.path(`/home/${path}`)).mode & 0o777).toBe(0o600);
    return content;
  };

  test('basic-auth for git: single repositories come last in the store', async () => {
    secret('one', { username: 'me\\too', password: 'p@ss/w:?rd' });
    secret('two', { username: 'user', password: "it's $&+,;=~!" });
    const { code, stderr } = await place.step(
      ['-basic-git=one=https://git.example.com/org/repo', '-basic-git=two=HTTPS://old@git.example.com'],
      ['true'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(both('.gitconfig')).toBe(
      '[credential]\n\thelper = store\n' +
        '[credential "https://git.example.com/org/repo"]\n\tusername = me\\\\too\n\tuseHttpPath = true\n' +
        '[credential "HTTPS://old@git.example.com"]\n\tusername = user\n',
    );
    expect(both('.git-credentials')).toBe(
      'https://user:it%27s%20$&+,;=~%21@git.example.com\n' +
        'https://me%5Ctoo:p%40ss%2Fw%3A%3Frd@git.example.com/org/repo\n',
    );
  });

  test('ssh-auth for git: a repository gets an alias in the configuration of git', async () => {
    secret('deploy', { 'ssh-privatekey': 'KEY1', known_hosts: 'hosts1' });
    secret('repo', { 'ssh-privatekey': 'KEY2', known_hosts: 'hosts2' });
    secret('plain', { 'ssh-privatekey': 'KEY3' });
    await place.step(
      [
        '-ssh-git=repo=github.com:2222/org/repo',
        '-ssh-git=deploy=github.com',
        '-ssh-git=plain=github.com',
        '-ssh-git=plain=[::1]:7',
        '-ssh-git=plain=example.com/a/b',
      ],
      ['true'],
    );
    const key = (name: string) => `    IdentityFile ${place.path(`/tekton/creds/.ssh/id_${name}`)}\n`;
    expect(both('.ssh/config')).toBe(
      `Host github.com\n    HostName github.com\n    Port 22\n${key('deploy')}${key('plain')}` +
        `Host ::1\n    HostName ::1\n    Port 7\n${key('plain')}` +
        `Host github.com--org--repo\n    HostName github.com\n    Port 2222\n${key('repo')}` +
        `Host example.com--a--b\n    HostName example.com\n    Port 22\n${key('plain')}`,
    );
    expect(both('.ssh/known_hosts')).toBe('hosts1\nhosts2');
    expect(both('.ssh/id_repo')).toBe('KEY2');
    expect(both('.gitconfig')).toBe(
      '[url "git@github.com--org--repo:org/repo.git"]\n\tinsteadOf = git@github.com:org/repo.git\n' +
        '[url "ssh://github.com--org--repo/org/repo.git"]\n\tinsteadOf = ssh://github.com:2222/org/repo.git\n' +
        '[url "git@example.com--a--b:a/b.git"]\n\tinsteadOf = git@example.com:a/b.git\n' +
        '[url "ssh://example.com--a--b/a/b.git"]\n\tinsteadOf = ssh://example.com/a/b.git\n',
    );
    expect(statSync(place.path('/home/.ssh')).mode & 0o777).toBe(0o700);
  });

  test('docker: annotated logins win over config files, those over older ones', async () => {
    secret('cfg', { '.dockercfg': '{"c.io":{"auth":"old","email":"x@y"},"b.io":{"auth":"cfg"}}' });
    secret('json', {
      '.dockerconfigjson': '{"auths":{"b.io":{"Auth":"new","identitytoken":"t"},"a.io":{"auth":"json"}}}',
    });
    secret('basic', { username: 'u', password: 'p<' });
    await place.step(['-docker-config=json', '-docker-cfg=cfg', '-basic-docker=basic=a.io'], ['true']);
    expect(both('.docker/config.json')).toBe(
      '{"auths":{"a.io":{"username":"u","password":"p\\u003c","auth":"dTpwPA==","email":"not@val.id"},' +
        '"b.io":{"auth":"new"},"c.io":{"auth":"old","email":"x@y"}}}',
    );
  });

  test('a Secret that cannot be read is a wrong flag', async () => {
    const { code, stderr } = await place.step(['-basic-git=gone=https://x'], ['true']);
    expect(code).toBe(2);
    expect(stderr).toContain('invalid value "gone=https://x" for flag -basic-git: open ');
    expect(stderr).toContain('/tekton/creds-secrets/gone/username: no such file or directory\n');
  });

  test('the same URL twice is a wrong flag', async () => {
    secret('one', { username: 'a', password: 'b' });
    const { stderr } = await place.step(['-basic-git=one=https://x', '-basic-git=one=https://x'], ['true']);
    expect(stderr).toContain('multiple entries for url: https://x\n');
  });

  test('a config file that is no JSON is logged, and the step runs', async () => {
    secret('bad', { '.dockerconfigjson': '{"auths":[]}' });
    const { code, stderr } = await place.step(['-docker-config=bad'], ['true']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        '{time} Error initializing credentials: json: cannot unmarshal array into Go value of type map[string]dockercreds.entry\n',
    });
  });

  test('without a home the copies are left out, and the step runs', async () => {
    secret('one', { username: 'a', password: 'b' });
    const { code, stderr } = await place.step(['-basic-git=one=https://x'], ['true'], { env: { HOME: '' } });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        '{time} non-fatal error copying credentials: "error getting the user\'s home directory: $HOME is not defined"\n',
    });
  });

  test('a home that is no folder is a warning', async () => {
    secret('one', { username: 'a', password: 'b' });
    chmodSync(place.write('/file'), 0o600);
    const { code, stderr } = await place.step(['-basic-git=one=https://x'], ['true'], {
      env: { HOME: place.path('/file') },
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^\{time\} warning: unsuccessful cred copy: "\.gitconfig" from "[^"]+\/tekton\/creds" to "[^"]+\/file": unable to open destination: /,
    );
  });
}
