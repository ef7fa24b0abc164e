import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { TokenFile } from '@tektite/apiserver';
import pc from 'picocolors';
import { type ControlPlane, startControlPlane } from '../control-plane.ts';
import { UserError } from '../user-error.ts';
import { writeKubeconfig } from '../kubeconfig-file.ts';

export interface UpOptions {
  readonly dataDir: string;
  readonly inMemory?: boolean;
  readonly host: string;
  readonly port: string;
  readonly writeKubeconfig?: string;
  readonly tokenAuthFile?: string;
  readonly disableAdmissionPlugins?: string;
  readonly apiOnly?: boolean;
}

/** `tektite up`: serves until it is told to stop. */
export async function up(options: UpOptions): Promise<void> {
  const port = readPort(options.port);
  const tokens = options.tokenAuthFile ? await readTokens(options.tokenAuthFile) : undefined;
  const plane = await start(options, port, tokens);
  const files = [plane.kubeconfigFile];
  if (options.writeKubeconfig) {
    await writeKubeconfig(options.writeKubeconfig, plane.connection);
    files.push(options.writeKubeconfig);
  }
  announce(plane, options);
  await untilStopped();
  process.stderr.write(pc.dim('\nstopping…\n'));
  await plane.close();
}

async function start(options: UpOptions, port: number, tokens: TokenFile | undefined): Promise<ControlPlane> {
  try {
    return await startControlPlane({
      dataDir: options.dataDir,
      inMemory: options.inMemory === true,
      host: options.host,
      port,
      ...(tokens ? { tokens } : {}),
      disabledAdmissionPlugins: options.disableAdmissionPlugins?.split(',').map((name) => name.trim()) ?? [],
      onError: (error) => console.error(pc.red('internal error:'), error),
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UserError(`port ${port} is taken; choose another with --port, or 0 for any free one`);
    if (code === 'EACCES') throw new UserError(`no permission: ${message}`);
    if (error instanceof Error && /in use by process|another version of tektite/.test(message))
      throw new UserError(message);
    throw error;
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UserError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
  return port;
}

async function readTokens(file: string): Promise<TokenFile> {
  if (!existsSync(file)) throw new UserError(`--token-auth-file: ${file} does not exist`);
  try {
    return TokenFile.parse(await readFile(file, 'utf8'), file);
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

function announce(plane: ControlPlane, options: UpOptions): void {
  const target = options.writeKubeconfig ? `kubectl --context tektite` : `kubectl --kubeconfig ${plane.kubeconfigFile}`;
  process.stdout.write(
    `${pc.bold('tektite')} serves the Kubernetes API at ${pc.cyan(plane.connection.server)}\n` +
      `  state       ${options.inMemory ? 'in memory, gone when this process ends' : options.dataDir}\n` +
      `  kubeconfig  ${plane.kubeconfigFile}\n\n` +
      `Try:  ${pc.cyan(`${target} get namespaces`)}\n` +
      `      ${pc.cyan(`export KUBECONFIG=${plane.kubeconfigFile}`)}\n\n` +
      `${pc.dim('Ctrl-C stops it.')}\n`,
  );
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => {}, 2 ** 30);
    const stop = () => {
      clearInterval(keepAlive);
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}
