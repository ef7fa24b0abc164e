import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { kinds } from '@tektite/client';
import type { Event, Pod, PodSpec } from '@tektite/schema/kubernetes';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '@tektite/testkit';
import { build } from 'esbuild';
import { HostRuntime, type HostRuntimeOptions } from './host/host-runtime.ts';
import { findNativeProgram } from '@tektite/native';
import { PodNetwork } from './network/pod-network.ts';
import type { PodRuntime } from './runtime/pod-runtime.ts';
import { type NodeOptions, type RunningNode, startNode } from './start-node.ts';

/** A control plane with one node, in a test. */
export interface TestNode extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly node: RunningNode;
  readonly dataDir: string;
  readonly errors: Error[];
  readonly network?: PodNetwork;
  /** The image of containers in shared cases. */
  readonly image?: string;
  /** Creates a Pod that is bound to the node. */
  run(name: string, spec: PodSpec, metadata?: Pod['metadata']): Promise<Pod>;
  get(name: string): Promise<Pod>;
  /** The Pod when the condition holds for it. */
  until(name: string, condition: (pod: Pod) => boolean, timeoutMs?: number): Promise<Pod>;
  /** The Pod when all its containers have ended for good. */
  done(name: string): Promise<Pod>;
  log(
    name: string,
    options?: { container?: string; previous?: boolean; tailLines?: number; timestamps?: boolean },
  ): Promise<string>;
  events(name: string): Promise<Event[]>;
}

export interface TestNodeOptions extends Partial<Omit<NodeOptions, 'client'>> {
  readonly planeOptions?: ControlPlaneOptions;
  readonly host?: Partial<HostRuntimeOptions>;
  /** Pods have a network of their own. */
  readonly hasNetwork?: boolean;
  readonly makeRuntime?: (dataDir: string, plane: ControlPlane) => PodRuntime;
}

export async function startTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const { planeOptions, host, makeRuntime, hasNetwork = false, ...rest } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tektite-node-')));
  const plane = await startControlPlane(planeOptions);
  const network = hasNetwork ? await PodNetwork.open({ directory: join(dataDir, 'host') }) : undefined;
  const own = { directory: join(dataDir, 'host'), ...(network ? { network } : {}) };
  const runtime = makeRuntime?.(dataDir, plane) ?? new HostRuntime({ ...own, ...host });
  const errors: Error[] = [];
  const node = await startNode({
    client: plane.client,
    runtime,
    name: 'here',
    dataDir,
    onError: (error) => errors.push(error),
    ...(network ? { network } : {}),
    ...rest,
  });
  plane.server.nodes.register(node.name, node);
  const { client } = plane;
  const get = (name: string) => client.get(kinds.Pod, { namespace: 'default', name });

  async function until(name: string, condition: (pod: Pod) => boolean, timeoutMs = 15_000): Promise<Pod> {
    const signal = AbortSignal.timeout(timeoutMs);
    const fieldSelector = `metadata.name=${name}`;
    try {
      for await (const event of await client.watch(kinds.Pod, { namespace: 'default', fieldSelector, signal })) {
        if ((event.type === 'ADDED' || event.type === 'MODIFIED') && condition(event.object)) return event.object;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    const { status } = await get(name).catch(() => ({ status: undefined }));
    throw new Error(
      `the Pod ${name} never became what was waited for: ${JSON.stringify(status, null, 1)} ${errors.join(' ')}`,
    );
  }

  return {
    plane,
    node,
    dataDir,
    errors,
    ...(network ? { network } : {}),
    get,
    until,
    run: (name, spec, metadata = {}) =>
      client.create(kinds.Pod, {
        metadata: { namespace: 'default', name, ...metadata },
        spec: { nodeName: 'here', ...spec },
      }),
    done: (name) => until(name, ({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed'),
    async log(name, logOptions = {}) {
      let text = '';
      for await (const chunk of await client.log({ namespace: 'default', name }, logOptions))
        text += Buffer.from(chunk).toString();
      return text;
    },
    async events(name) {
      const { items } = await client.list(kinds.Event, {
        namespace: 'default',
        fieldSelector: `involvedObject.name=${name}`,
      });
      return [...items];
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await network?.[Symbol.asyncDispose]();
      await plane.close();
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A container that runs a script. */
export function shell(script: string, more: object = {}): { name: string; image: string; command: string[] } {
  return { name: 'main', image: 'busybox', command: ['sh', '-c', script], ...more };
}

/** A program for plain Node that is a node named `here`, made of the sources as they are. */
export async function bundleNodeProgram(outfile: string): Promise<string> {
  const contents = `
    import { Client, httpTransport, staticCredentials } from '@tektite/client';
    import { HostRuntime } from './host/host-runtime.ts';
    import { PodNetwork } from './network/pod-network.ts';
    import { startNode } from './start-node.ts';
    const { hasNetwork, dataDir, server, certificateAuthority, clientCertificate } = JSON.parse(process.env.NODE_PROGRAM);
    const credentials = staticCredentials({ clientCertificate });
    const client = new Client(httpTransport({ server, certificateAuthority, namespace: 'default', credentials }));
    try {
      const network = hasNetwork ? { network: await PodNetwork.open({ directory: dataDir + '/host' }) } : {};
      const runtime = new HostRuntime({ directory: dataDir + '/host', ...network });
      await startNode({ client, runtime, ...network, name: 'here', dataDir, onError: (error) => console.log('error', error.message) });
      console.log('ready');
      setInterval(() => undefined, 1000);
    } catch (error) {
      console.log('failed', error.code, error.message);
      process.exit(1);
    }
  `;
  return bundleProgram(contents, outfile);
}

/** Bundles a program that uses this room, with the compiled programs beside it. */
export async function bundleProgram(contents: string, outfile: string): Promise<string> {
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  // The program searches the folders above it for these.
  for (const name of ['sandbox', 'network'] as const) {
    const copy = join(dirname(outfile), 'native', name, 'dist', name);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(findNativeProgram(name) ?? '', copy);
  }
  return outfile;
}

const printedBy = new WeakMap<ChildProcess, () => string>();

/** Starts that program. Resolves when it is ready; rejects with what it printed when it never is. */
export async function startNodeProgram(
  plane: ControlPlane,
  program: string,
  dataDir: string,
  { hasNetwork = false, ...user }: { uid?: number; gid?: number; hasNetwork?: boolean } = {},
): Promise<ChildProcess> {
  const { server, certificateAuthority, credentials } = (await plane.https()).config;
  const { clientCertificate } = (await credentials?.current()) ?? {};
  const settings = JSON.stringify({ hasNetwork, dataDir, server, certificateAuthority, clientCertificate });
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH ?? '', NODE_PROGRAM: settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...user,
  });
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('ready')) resolve();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', () => reject(new Error(printed)));
  });
  printedBy.set(child, () => printed);
  return child;
}

/** Fails, with its output, if a program has exited. */
export function expectToRun(child: ChildProcess): void {
  if (child.exitCode !== null) throw new Error(`the node has ended:\n${printedBy.get(child)?.()}`);
}

/** Ends a program without a chance to clean up. */
export async function killNodeProgram(child: ChildProcess): Promise<void> {
  expectToRun(child);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
