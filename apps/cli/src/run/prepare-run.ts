import type { Client } from '@tektite/client';
import type { ReadText } from '@tektite/manifest';
import { isStatusError, type KubeObject } from '@tektite/meta';
import type { PacFiles } from '../pac/pac-files.ts';
import { readDuration } from '../read-duration.ts';
import { badInput } from '../input/bad-input.ts';
import { planeNeeds } from './plane-needs.ts';
import { type PlannedObject, planRun } from './plan-run.ts';
import { readDocuments } from '../input/read-documents.ts';
import type { LookUp } from './run-target.ts';
import { readSecrets } from './secret-option.ts';
import { nameOfAnotherType } from './undecodable-field.ts';
import { readWorkspace } from './workspace-option.ts';

/** The options of `tektite run` that decide what is created. */
export interface RunInputs {
  readonly file: readonly string[];
  readonly name?: string;
  readonly only: readonly string[];
  readonly param: readonly string[];
  readonly workspace: readonly string[];
  readonly env: readonly string[];
  readonly secret: readonly string[];
  readonly namespace: string;
  readonly serviceaccount?: string;
  readonly timeout?: string;
  readonly event?: string;
}

/**
 * Reads and checks everything that is to be created, in order. Without a cluster, it includes the objects that runs expect on one;
 * `note` gets a sentence about those.
 */
export async function prepareRun(
  inputs: RunInputs,
  cluster: Client | undefined,
  note: (text: string) => void,
): Promise<readonly PlannedObject[]> {
  const { serviceaccount, timeout, name, namespace } = inputs;
  if (timeout !== undefined) readDuration('--timeout', timeout);
  if (cluster && inputs.secret.length > 0)
    throw badInput('--secret makes Secrets of a throw-away control plane; on a cluster, use kubectl create secret');
  const env = inputs.env.map(readVariable);
  const options = await Promise.all(inputs.workspace.map((text) => readWorkspace(text, !cluster)));
  const secrets = await readSecrets(inputs.secret);
  const documents = await readInputs(inputs, note);
  for (const { object, at } of documents) {
    const field = object.apiVersion.startsWith('tekton.dev/') ? nameOfAnotherType(object) : undefined;
    if (field) throw badInput(`${at(field.path)}: ${field.message}`);
  }
  const planned = await planRun(
    documents,
    {
      params: inputs.param,
      workspaces: options.map(({ binding }) => binding),
      only: inputs.only,
      env,
      ...(name ? { name } : {}),
      ...(serviceaccount ? { serviceAccount: serviceaccount } : {}),
      ...(timeout ? { timeout } : {}),
    },
    cluster && lookUpOn(cluster, namespace),
  );
  const extra = [
    ...options.flatMap(({ objects }) => objects.map((object) => plannedAs(object, '-w'))),
    ...secrets.map((object) => plannedAs(object, '--secret')),
  ];
  const all = [...extra, ...planned];
  if (cluster) return all;
  const { objects, created } = planeNeeds(all, namespace);
  if (created.length > 0) note(`created for this run: ${created.join(', ')}`);
  return [...objects, ...all];
}

/** The documents to run. The module for files of Pipelines-as-Code is loaded only where there is one. */
async function readInputs({ file, name, namespace, event }: RunInputs, note: (text: string) => void) {
  let pac: PacFiles | undefined;
  const loadPac = async () => {
    const { PacFiles } = await import('../pac/pac-files.ts');
    return (pac ??= new PacFiles({ namespace, note, ...(event === undefined ? {} : { event }) }));
  };
  if (event !== undefined) await loadPac();
  const documents = await readDocuments(file, async (text) => (isPac(text) ? (await loadPac()).fill(text) : text.text));
  return (await pac?.complete(documents, name)) ?? documents;
}

/** Whether a text is for Pipelines-as-Code: by its folder, or by an annotation. */
function isPac({ name, text }: ReadText): boolean {
  return text.includes('pipelinesascode.tekton.dev/') || /(^|\/)\.tekton\//.test(name);
}

function plannedAs(object: KubeObject, place: string): PlannedObject {
  return { object, place, at: () => place, runs: false };
}

function readVariable(text: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw badInput(`--env ${text}: this is no NAME=VALUE`);
  return { name, value };
}

/** Finds objects on a cluster. */
export function lookUpOn(client: Client, namespace: string): LookUp {
  return async ({ name, namespace: own, ...kind }) => {
    try {
      return (await client.get(kind, { namespace: own ?? namespace, name })) as KubeObject;
    } catch (error) {
      // The server says itself what it does not have, or does not show, once the run is created.
      if (isStatusError(error) || (error as { code?: string }).code === 'UNKNOWN_KIND') return undefined;
      throw error;
    }
  };
}
