import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { freePorts } from '../free-ports.ts';
import { TestFolder } from './test-folder.ts';

/** Docker's own registry, from Debian's package `docker-registry`. */
export class DockerRegistry implements AsyncDisposable {
  readonly host: string;
  private readonly folder: TestFolder;
  private readonly process: ChildProcess;

  private constructor(host: string, folder: TestFolder) {
    this.host = host;
    this.folder = folder;
    const storage = `storage: {filesystem: {rootdirectory: ${folder.join('data')}}}`;
    const config = `version: 0.1\n${storage}\nhttp: {addr: "${host}"}\nlog: {level: error}\n`;
    writeFileSync(folder.join('config.yml'), config);
    this.process = spawn('docker-registry', ['serve', folder.join('config.yml')], { stdio: 'ignore' });
  }

  static async start(): Promise<DockerRegistry> {
    const [port = 0] = await freePorts(1);
    const registry = new DockerRegistry(`127.0.0.1:${port}`, new TestFolder());
    const deadline = performance.now() + 15_000;
    while (performance.now() < deadline) {
      if (
        await fetch(`${registry.origin}/v2/`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return registry;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await registry[Symbol.asyncDispose]();
    throw new Error('docker-registry does not answer; is it installed?');
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = new Promise((resolve) => this.process.once('exit', resolve));
      if (this.process.kill()) await ended;
    }
    this.folder[Symbol.dispose]();
  }
}
