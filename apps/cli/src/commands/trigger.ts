import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import type { KubeObject } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import { headersOf, traceEvent, type TracedTrigger } from '@tektite/triggers';
import pc from 'picocolors';
import { readDocuments } from '../input/read-documents.ts';
import { openTemporaryFolder } from '../temporary-folder.ts';
import { terminalText } from '../terminal-text.ts';
import { UserError } from '../user-error.ts';

export interface TriggerOptions {
  readonly file: readonly string[];
  readonly data: string;
  readonly header: readonly string[];
  readonly listener?: string;
  readonly url: string;
  readonly namespace: string;
  readonly run?: boolean;
  readonly output: string;
}

/**
 * `tektite trigger`: sends one event through EventListeners or Triggers of files and shows what each interceptor answered, the
 * values of parameters, and the objects to create. With `--run`, these are run to completion.
 */
export async function trigger(options: TriggerOptions): Promise<void> {
  if (options.file.length === 0) throw new UserError('name the file with the triggers: -f TRIGGERS.yaml', 2);
  const objects = (await readDocuments(options.file)).map(({ object }) => placed(object, options.namespace));
  const body = await readEvent(options.data);
  const triggers = await trace(objects, body, options);
  if (triggers.length === 0)
    throw new UserError(
      options.listener === undefined
        ? 'no trigger gets the event: the files have no EventListener that selects one, and no Trigger'
        : `the files have no EventListener ${JSON.stringify(options.listener)}, or it selects no Trigger`,
    );
  const resources = triggers.flatMap((each) => each.resources ?? []);
  if (options.output === 'json') process.stdout.write(`${JSON.stringify(triggers, undefined, 2)}\n`);
  else if (options.output === 'yaml') process.stdout.write(documentsOf(resources));
  else for (const each of triggers) process.stdout.write(`${describe(each).join('\n')}\n`);
  process.exitCode = resources.length > 0 ? 0 : 1;
  if (options.run && resources.length > 0) await runResources(objects, resources, options);
}

async function trace(
  objects: readonly KubeObject[],
  body: string,
  { header, url, listener }: TriggerOptions,
): Promise<readonly TracedTrigger[]> {
  try {
    const request = { body, headers: readHeaders(header), url, ...(listener === undefined ? {} : { listener }) };
    return await traceEvent(objects, request);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError((error as Error).message, 2);
  }
}

function placed(object: KubeObject, namespace: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, namespace: metadata.namespace ?? namespace } };
}

async function readEvent(word: string): Promise<string> {
  if (word === '-') return readStream(process.stdin);
  // As curl has it: the data itself, or a file.
  if (/^\s*[{[]/.test(word)) return word;
  const file = word.replace(/^@/, '');
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`-d: ${file}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`, 2);
  });
}

function readHeaders(words: readonly string[]): ReturnType<typeof headersOf> {
  const headers: Record<string, string[]> = { 'content-type': ['application/json'] };
  const given = new Set<string>();
  for (const word of words) {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined)
      throw new UserError(`-H must be "Name: value", not ${JSON.stringify(word)}`, 2);
    const key = name.toLowerCase();
    headers[key] = given.has(key) ? [...(headers[key] ?? []), value] : [value];
    given.add(key);
  }
  return headersOf(headers);
}

/** The lines about one trigger. */
function describe(traced: TracedTrigger): readonly string[] {
  const { listener, group, name, namespace, interceptors, params, resources, account, error } = traced;
  const origin = [listener && `EventListener ${listener}`, group && `group ${group}`].filter(Boolean).join(', ');
  const title = `${name === '' && group ? 'group' : 'Trigger'} ${namespace}/${name || (group ?? '')}`;
  const lines = [pc.bold(title) + (origin ? pc.dim(` (${origin})`) : '')];
  for (const { name: interceptor, answer } of interceptors) {
    const { code = 0, message = '' } = answer.status;
    const mark = answer.continue ? pc.green('continues') : pc.red('stops');
    lines.push(`  interceptor ${interceptor}: ${mark}${message ? `: ${message} (code ${code})` : ''}`);
    for (const [key, value] of Object.entries(answer.extensions ?? {}))
      lines.push(`    extensions.${key} = ${JSON.stringify(value)}`);
  }
  for (const [key, value] of Object.entries(params ?? {})) lines.push(`  param ${key} = ${value}`);
  if (error !== undefined) lines.push(`  ${pc.red('fails')}: ${error}`);
  for (const resource of resources ?? []) {
    const { namespace: where = '', name: what = '', generateName = '' } = resource.metadata;
    lines.push(`  creates ${resource.kind} ${where}/${what || `${generateName}*`} as service account ${account}`);
    lines.push(...indented(formatYaml(resource)));
  }
  return lines.map(terminalText);
}

const indented = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`);

const documentsOf = (objects: readonly KubeObject[]): string =>
  objects.map((object) => formatYaml(object)).join('---\n');

/** Runs what was made, beside the objects of the files that it may refer to. */
async function runResources(
  objects: readonly KubeObject[],
  resources: readonly KubeObject[],
  { namespace, output }: TriggerOptions,
): Promise<void> {
  const folder = await openTemporaryFolder();
  try {
    const file = join(folder.path, 'event.yaml');
    const others = objects.filter(({ apiVersion }) => !apiVersion.startsWith('triggers.tekton.dev/'));
    await writeFile(file, documentsOf([...others, ...resources]));
    const { run } = await import('./run.ts');
    await run([], {
      file: [file],
      only: [],
      param: [],
      workspace: [],
      env: [],
      secret: [],
      namespace,
      runtime: 'auto',
      network: 'host',
      report: [],
      output: output === 'json' ? 'json' : 'text',
    });
  } finally {
    await folder.remove();
  }
}
