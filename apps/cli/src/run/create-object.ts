import { type Client, isClientError } from '@tektite/client';
import { isStatusError, type KubeObject, type StatusError } from '@tektite/meta';
import { badInput } from '../input/bad-input.ts';
import { suggestion } from './nearest-name.ts';
import type { PlannedObject } from './plan-run.ts';
import type { FieldPath } from '../input/read-documents.ts';
import { isRun } from '../input/run-kinds.ts';
import { undecodableField } from './undecodable-field.ts';

/**
 * Creates an object. A Task or Pipeline that exists is replaced, as files are edited and run again; everything else that exists
 * stays as it is. What the server refuses is an error of the file, with the place of the field.
 */
export async function createObject(client: Client, planned: PlannedObject, namespace: string): Promise<KubeObject> {
  try {
    // The server knows which kinds are in a namespace.
    const { scope } = await client.discovery.find(planned.object);
    const { metadata } = planned.object;
    const inPlace = scope === 'Cluster' || metadata.namespace ? metadata : { ...metadata, namespace };
    return await createOrReplace(client, { ...planned.object, metadata: inPlace });
  } catch (error) {
    if (isClientError(error, 'UNKNOWN_KIND')) throw await unknownKind(client, planned);
    if (!isStatusError(error)) throw error;
    const field = undecodableField(planned.object, error.message);
    if (field) throw badInput(`${planned.at(field.path)}: ${field.message}`);
    throw badInput(`${planned.at(fieldOf(error))}: ${explained(error)}`);
  }
}

async function createOrReplace(client: Client, object: KubeObject): Promise<KubeObject> {
  try {
    // Misspelt fields would otherwise be dropped silently.
    return await client.create(object, { fieldValidation: 'Strict' });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists') || isRun(object)) throw error;
    const { namespace, name = '' } = object.metadata;
    const existing = await client.get(object, { ...(namespace ? { namespace } : {}), name });
    if (!object.apiVersion.startsWith('tekton.dev/')) return existing;
    const { resourceVersion = '' } = existing.metadata;
    const replacement = { ...object, metadata: { ...object.metadata, resourceVersion } };
    return await client.update(object, replacement, { fieldValidation: 'Strict' });
  }
}

async function unknownKind(client: Client, { object, at }: PlannedObject): Promise<Error> {
  const { apiVersion, kind } = object;
  const { resources } = await client.discovery.all();
  if (apiVersion.startsWith('tekton.dev/') && !resources.some(({ group }) => group === 'tekton.dev'))
    return badInput(
      'the server does not have Tekton Pipelines; start it with `tektite up --systems pipelines`, or leave out --kubeconfig to run on this machine',
    );
  const versions = (version: { readonly group: string; readonly version: string }) =>
    version.group ? `${version.group}/${version.version}` : version.version;
  const elsewhere = resources.find((each) => each.kind === kind);
  if (elsewhere)
    return badInput(
      `${at(['apiVersion'])}: there is no ${kind} in ${apiVersion}; did you mean ${JSON.stringify(versions(elsewhere))}?`,
    );
  const known = [...new Set(resources.map((each) => each.kind))];
  const hint = suggestion(kind, known);
  return badInput(
    `${at(['kind'])}: there is no kind ${JSON.stringify(kind)} in ${apiVersion}${hint.includes('did you mean') ? hint : ''}`,
  );
}

/** The field that an error of the server is about: as a cause, or the first path in the message. */
function fieldOf({ status, message }: StatusError): FieldPath {
  const field = status.details?.causes?.find((cause) => cause.field)?.field;
  const path = field ?? /(?:^|[\s",(:])((?:spec|metadata|data)(?:\.[\w-]+|\[[^\]]*\])+)/.exec(message)?.[1] ?? '';
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The error of the server, with a remedy where one is known. */
function explained(error: StatusError): string {
  const { kind, name } = error.status.details ?? {};
  if (error.reason === 'NotFound' && kind === 'namespaces')
    return `there is no namespace ${JSON.stringify(name)}; make it with kubectl create namespace ${name}, or choose another with -n`;
  if (error.reason === 'AlreadyExists')
    return `${error.message}; delete it, or give this one a metadata.generateName instead of the name`;
  return plainMessage(error.message);
}

/** Without the name of the webhook, and without the kind that is being decoded. */
function plainMessage(message: string): string {
  return message
    .replace(/^admission webhook "[^"]*" denied the request: /, '')
    .replace(/^\S+ in version "[^"]*" cannot be handled as an? \S+: (?:strict decoding error: )?/, '');
}
