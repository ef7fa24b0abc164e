import type { Logger } from '@tektite/controller';
import { renderTemplate } from '../installer/script-template.ts';
import { sentinelFile } from '../wire-names.ts';
import { type CloudConfig, readCloudConfig } from './cloud-config.ts';
import { writeFile } from './file-scripts.ts';
import { hasSentinel } from './host-commands.ts';
import type { HostFacts } from './sandbox/sandbox.ts';
import { failureOf, type ScriptRunner } from './script-runner.ts';

/**
 * Executes a cloud-config: files first, then commands, until one fails. Where it mentions the sentinel file of
 * kubeadm's commands, that file has to exist in the end. Returns the error, or undefined.
 */
export async function runCloudConfig(
  runner: ScriptRunner,
  value: string,
  facts: HostFacts,
  log: Logger,
): Promise<string | undefined> {
  if (value.trim() === '') return 'the bootstrap Secret has no value';
  const config = readCloudConfig(value);
  if (config.ignored.length > 0) log.warn('parts of the cloud-config have no effect here', { parts: config.ignored });
  const failure = (await writeFiles(runner, config, facts)) ?? (await runCommands(runner, config));
  if (failure !== undefined || !value.includes(sentinelFile)) return failure;
  const { exitCode } = await runner.run('sentinel', hasSentinel);
  return exitCode === 0 ? undefined : `the commands ended well, but ${sentinelFile} is not there`;
}

async function writeFiles(
  runner: ScriptRunner,
  { files }: CloudConfig,
  { defaultInterface }: HostFacts,
): Promise<string | undefined> {
  const values: Readonly<Record<string, string>> =
    defaultInterface === undefined ? {} : { DefaultNetworkInterfaceName: defaultInterface };
  for (const file of files) {
    let { content } = file;
    if (content.includes('{{')) content = Buffer.from(renderTemplate(content.toString('utf8'), values));
    const { exitCode, tail } = await runner.run('write-file', writeFile(file), content);
    if (exitCode !== 0) return `${file.path} cannot be written: ${tail}`;
  }
  return undefined;
}

async function runCommands(runner: ScriptRunner, { commands }: CloudConfig): Promise<string | undefined> {
  for (const [index, command] of commands.entries()) {
    const failure = failureOf(`runcmd[${index}]`, await runner.run('bootstrap', `${command}\n`));
    if (failure !== undefined) return failure;
  }
  return undefined;
}
