import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ImageReference } from '../image-reference.ts';
import type { Login } from '../login.ts';
import { loginsIn, objectAt, parseObject } from './docker-auths.ts';

const helperTimeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024;

/** `~/.docker/config.json`, or in the folder `DOCKER_CONFIG`. */
export function dockerConfigFile(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env['DOCKER_CONFIG'] || join(homedir(), '.docker'), 'config.json');
}

/**
 * The logins of this machine's user: those of credential helpers, which are programs, then those in the file. A file or a helper that
 * does not work gives none, since most images need none.
 */
export async function machineLogins(
  image: ImageReference,
  signal: AbortSignal,
  file: string = dockerConfigFile(),
): Promise<readonly Login[]> {
  const config = parseObject(await readFile(file, 'utf8').catch(() => ''));
  const helper = helperFor(image.registry, config);
  const found = helper === undefined ? undefined : await askHelper(helper.program, helper.server, signal);
  return [...(found ? [found] : []), ...loginsIn(objectAt(config, 'auths'), image)];
}

/** The helper of the registry, else the one that has all logins. */
function helperFor(
  registry: string,
  config: Readonly<Record<string, unknown>>,
): { readonly program: string; readonly server: string } | undefined {
  const isHub = registry === 'index.docker.io';
  const helpers = objectAt(config, 'credHelpers');
  const name = helpers[registry] ?? (isHub ? helpers['docker.io'] : undefined) ?? config['credsStore'];
  if (typeof name !== 'string' || !/^[\w.-]+$/.test(name)) return undefined;
  return { program: `docker-credential-${name}`, server: isHub ? 'https://index.docker.io/v1/' : registry };
}

function askHelper(program: string, server: string, signal: AbortSignal): Promise<Login | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, ['get'], { stdio: ['pipe', 'pipe', 'ignore'], signal, timeout: helperTimeoutMs });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < maxAnswerBytes) text += chunk;
    });
    child.stdin.on('error', () => undefined);
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? loginIn(text) : undefined));
    child.stdin.end(server);
  });
}

/** A user named `<token>` means a token of another protocol. */
function loginIn(text: string): Login | undefined {
  const { Username: username, Secret: password } = parseObject(text);
  if (typeof username !== 'string' || typeof password !== 'string' || username === '<token>') return undefined;
  return { username, password };
}
