import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@tektite/meta';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import { RuntimeError } from '../runtime/runtime-error.ts';
import type { ContainerSpec, PodRuntime, PodSandbox, RunningContainer } from '../runtime/pod-runtime.ts';
import { createArguments, environmentFile } from './podman-arguments.ts';
import { PodmanContainer } from './podman-container.ts';
import { PodmanImages } from './podman-images.ts';
import { Podman } from './podman.ts';

export interface PodmanRuntimeOptions {
  /** A dedicated folder. */
  readonly directory: string;
  readonly clock?: Clock;
  /** The engine's command. Default `podman`. */
  readonly program?: string;
  /** The program that the engine runs containers with, such as `runc`. Default: the engine's. */
  readonly ociRuntime?: string;
}

/** The engine's own defaults, which it may not be able to give. */
const defaultLimits = { openFiles: 1_048_576, processes: 32_768 };

/**
 * Containers from images, run by podman through its command. They share the machine's network.
 *
 * The engine keeps containers alive when this process is killed; the next `open` removes them, so that no Pod has two.
 */
export class PodmanRuntime implements PodRuntime {
  readonly name = 'podman';
  readonly usesFiles = true;
  readonly startsAtOnce = false;
  private readonly options: PodmanRuntimeOptions;
  private readonly clock: Clock;
  private readonly podman: Podman;
  private readonly images: PodmanImages;
  private readonly running = new Set<RunningContainer>();
  private found = '';

  constructor(options: PodmanRuntimeOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.podman = new Podman(options.program ?? 'podman');
    this.images = new PodmanImages(this.podman);
  }

  get version(): string {
    return this.found;
  }

  async open(): Promise<void> {
    const { program = 'podman', directory } = this.options;
    const answer = await this.podman.run('version', '--format={{.Client.Version}}').catch((cause: unknown) => {
      throw new RuntimeError(
        'TOOL_MISSING',
        `the program ${program} cannot be run; install it, or use another runtime (host, simulated)`,
        { cause },
      );
    });
    if (answer.code !== 0) throw new RuntimeError('ENGINE_FAILED', `${program} does not work: ${answer.stderr.trim()}`);
    this.found = answer.stdout.trim();
    await this.removeAll();
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  async createSandbox({ shareProcessNamespace }: PodSandbox): Promise<undefined> {
    if (shareProcessNamespace) throw new Error('shareProcessNamespace is not supported by the podman runtime');
    return undefined;
  }

  async startContainer(spec: ContainerSpec): Promise<RunningContainer> {
    const image = await this.images.ensure(spec.image, spec.imagePullPolicy);
    const directory = join(this.options.directory, spec.id);
    mkdirSync(directory, { mode: 0o700 });
    const pidFile = join(directory, 'pid');
    try {
      await this.create(spec, directory, pidFile);
      const parts = { podman: this.podman, clock: this.clock, spec, imageID: `sha256:${image.id}`, pidFile };
      const container = await PodmanContainer.start(parts);
      this.running.add(container);
      void container.exited
        .then(() => this.running.delete(container))
        .then(() => rm(directory, { recursive: true, force: true }));
      return container;
    } catch (error) {
      await this.podman.run('rm', '--force', '--time=0', spec.id);
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  async removeSandbox(): Promise<void> {
    // Containers share nothing but the machine's network.
  }

  async imageUser(image: string): Promise<string | undefined> {
    return (await this.images.find(image))?.user || undefined;
  }

  async close(): Promise<void> {
    const ends = [...this.running].map(({ exited }) => exited);
    await this.removeAll();
    await Promise.all(ends);
  }

  private get label(): string {
    return `dev.tektite.directory=${this.options.directory}`;
  }

  private async create(spec: ContainerSpec, directory: string, pidFile: string): Promise<void> {
    const envFile = join(directory, 'env');
    writeFileSync(envFile, environmentFile(spec), { mode: 0o600 });
    const { ociRuntime } = this.options;
    const words = createArguments(spec, {
      pidFile,
      envFile,
      label: this.label,
      limits: grantableLimits(),
      ...(ociRuntime ? { runtime: ociRuntime } : {}),
    });
    const { code, stderr } = await this.podman.run('create', ...words);
    rmSync(envFile);
    if (code !== 0) throw new ContainerStartError('CreateContainerError', stderr.trim().replace(/^Error: /, ''));
  }

  private async removeAll(): Promise<void> {
    const { stdout } = await this.podman.run('ps', '--all', '--quiet', '--no-trunc', `--filter=label=${this.label}`);
    const ids = stdout.split('\n').filter(Boolean);
    if (ids.length > 0) await this.podman.run('rm', '--force', '--time=0', ...ids);
  }
}

/** The limits that can be set without the right to raise them. */
function grantableLimits(): { openFiles: number; processes: number } {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string, most: number) => {
    const value = Number(new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1] ?? most);
    return Math.min(value, most);
  };
  return {
    openFiles: hard('Max open files', defaultLimits.openFiles),
    processes: hard('Max processes', defaultLimits.processes),
  };
}
