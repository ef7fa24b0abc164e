import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ResolverBench, taskText } from '../test-support.ts';
import { GitRepositories } from './test-support.ts';

let bench: ResolverBench;
let repositories: GitRepositories;
let server: ChildProcess;
let folder: string;
let port: number;
let commit: string;

async function freePort(): Promise<number> {
  const socket = createServer();
  await new Promise<void>((resolve) => {
    socket.listen(0, '127.0.0.1', resolve);
  });
  const { port: free } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return free;
}

/** An SSH server of this test's own, which lets in who has its key. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ssh-'));
  port = await freePort();
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  copyFileSync(join(folder, 'user.pub'), join(folder, 'authorized'));
  chmodSync(join(folder, 'authorized'), 0o600);
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/authorized`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    `PidFile ${folder}/pid`,
  ];
  writeFileSync(join(folder, 'config'), `${config.join('\n')}\n`);
  const program = execFileSync('sh', ['-c', 'command -v sshd'], { encoding: 'utf8' }).trim();
  // It wants a folder for itself, which only its package's installation or its service makes.
  execFileSync('mkdir', ['-p', '/run/sshd']);
  server = spawn(program, ['-D', '-e', '-f', join(folder, 'config')], { stdio: 'ignore' });
  repositories = new GitRepositories();
  commit = repositories.create('tasks.git', { 'task.yaml': taskText });
  const options = `-o BatchMode=yes -o UserKnownHostsFile=${folder}/known -o StrictHostKeyChecking=accept-new`;
  vi.stubEnv('GIT_SSH_COMMAND', `ssh -F none -i ${folder}/user -o IdentitiesOnly=yes ${options}`);
  bench = await ResolverBench.start();
  await bench.configure('git-resolver-config', { 'backoff-steps': '3', 'backoff-duration': '500ms' });
});

afterAll(async () => {
  server.kill();
  vi.unstubAllEnvs();
  repositories[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
  await bench.stop();
});

it('a repository is cloned over SSH, with the key of the controller’s user', async () => {
  const url = `ssh://${userInfo().username}@127.0.0.1:${port}${repositories.folder}/tasks.git`;
  const { text, status, message } = await bench.ask('git', { url, pathInRepo: 'task.yaml' });
  expect(message).toBe('');
  expect(text).toBe(taskText);
  expect(status.refSource).toEqual({ uri: `git+${url}`, digest: { sha1: commit }, entryPoint: 'task.yaml' });
});

it('a server that does not know the key says so, and does not prompt for a password', async () => {
  writeFileSync(join(folder, 'authorized'), '');
  const url = `ssh://${userInfo().username}@127.0.0.1:${port}${repositories.folder}/tasks.git`;
  expect((await bench.ask('git', { url, pathInRepo: 'task.yaml' })).message).toContain('Permission denied (publickey');
});
