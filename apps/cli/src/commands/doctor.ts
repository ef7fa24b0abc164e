import type { KubeObject } from '@tektite/meta';
import pc from 'picocolors';
import { readImages } from '../cluster/read-images.ts';
import { readRuntime } from '../cluster/runtimes.ts';
import type { Check, CheckStatus } from '../doctor/check.ts';
import { checkFile } from '../doctor/file-checks.ts';
import {
  checkCgroups,
  checkPodNetwork,
  checkCompanion,
  checkDisk,
  checkNamespaces,
  checkNetwork,
  checkNode,
  checkPort,
  checkStepProgram,
  checkSubordinateIds,
} from '../doctor/machine-checks.ts';
import { readRegistrySettings } from '../image/registry-settings.ts';
import { storedConfig } from '../image/stored-config.ts';
import { readDocuments } from '../input/read-documents.ts';
import { terminalText } from '../terminal-text.ts';
import { readPort } from '../user-error.ts';

export interface DoctorOptions {
  readonly file: readonly string[];
  readonly images?: string;
  readonly runtime: string;
  readonly dataDir: string;
  readonly port: string;
  readonly output: string;
}

/** `tektite doctor`: checks what this machine offers, and what files want of it. Exit code 1 when something is missing. */
export async function doctor(given: readonly string[], options: DoctorOptions): Promise<void> {
  const files = [...options.file, ...given];
  const port = readPort('--port', options.port);
  const documents = files.length > 0 ? await readDocuments(files) : [];
  const checks: Check[] = [
    checkNode(),
    checkStepProgram(),
    await checkNamespaces(),
    checkSubordinateIds(),
    checkCgroups(),
    await checkPodNetwork(),
    ...(await checkDisk(options.dataDir)),
    await checkPort(port, options.dataDir),
    await checkCompanion('kubectl', 'talking to `tektite up` by hand'),
    await checkCompanion('podman', '`tektite up --runtime podman`'),
    checkNetwork(),
  ];
  if (documents.length > 0)
    checks.push(
      ...(await checkFiles(
        documents.map(({ object }) => object),
        options,
      )),
    );
  process.stdout.write(options.output === 'json' ? `${JSON.stringify(checks, undefined, 2)}\n` : text(checks));
  process.exitCode = checks.some(({ status }) => status === 'missing') ? 1 : 0;
}

async function checkFiles(objects: readonly KubeObject[], options: DoctorOptions): Promise<readonly Check[]> {
  const runtime = readRuntime(options.runtime, ['auto', 'images', 'host'] as const);
  const images = options.images ? await readImages(options.images) : {};
  const { offline } = await readRegistrySettings(undefined);
  const hasNetwork = !offline && checkNetwork().status === 'ok';
  const isStored = async (image: string) => (await storedConfig(image).catch(() => undefined)) !== undefined;
  return checkFile(objects, { runtime, images, hasNetwork, isStored });
}

const marks: Readonly<Record<CheckStatus, string>> = {
  ok: pc.green('✓'),
  warning: pc.yellow('!'),
  missing: pc.red('✗'),
};

function text(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, detail, remedy }) => [
    `${marks[status]} ${name.padEnd(width)}  ${detail}`,
    ...(remedy ? [`  ${' '.repeat(width)}  ${pc.dim(remedy)}`] : []),
  ]);
  const count = checks.filter(({ status }) => status === 'missing').length;
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  const end = count > 0 ? `${count} missing` : 'Nothing needed is missing';
  return `${lines.map(terminalText).join('\n')}\n\n${end}${warnings > 0 ? `, ${warnings} to know about` : ''}.\n`;
}
