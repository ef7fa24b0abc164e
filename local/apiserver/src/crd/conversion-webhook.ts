import {
  cloneJson,
  FieldPath,
  type FieldError,
  formatApiVersion,
  formatFieldErrors,
  type KubeObject,
  quoteGo,
  type Random,
  randomUid,
  StatusError,
  validateLabels,
  stringifyJson,
} from '@tektite/meta';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import { readField, readReview } from '../admission/webhook/review-body.ts';
import type { WebhookClient } from '../admission/webhook/webhook-client.ts';
import { validateAnnotations } from '../registry/kinds/object-meta.ts';
import type { Draft } from '../registry/resource.ts';

const group = 'apiextensions.k8s.io';
const versions = ['v1', 'v1beta1'];
/** Upstream's time for a conversion; there is no way to ask for another. */
const timeoutSeconds = 30;

/** The dependencies of a conversion. */
export interface ConversionParts {
  /** Connects when it is first asked. */
  readonly client: () => WebhookClient;
  readonly random: Random;
}

/**
 * Converts objects to another version by asking the webhook of their definition, all in one call. The objects come back in
 * order. Throws a StatusError, in upstream's words, for whatever goes wrong.
 *
 * Upstream asks for each object alone, so when a call for several fails they are asked for one by one: the error is then
 * the one that upstream would give.
 */
export async function convertByWebhook(
  crd: CustomResourceDefinition,
  objects: readonly KubeObject[],
  apiVersion: string,
  parts: ConversionParts,
): Promise<KubeObject[]> {
  if (objects.length <= 1) return convertTogether(crd, objects, apiVersion, parts);
  try {
    return await convertTogether(crd, objects, apiVersion, parts);
  } catch {
    const converted: KubeObject[] = [];
    for (const object of objects) converted.push(...(await convertTogether(crd, [object], apiVersion, parts)));
    return converted;
  }
}

async function convertTogether(
  crd: CustomResourceDefinition,
  objects: readonly KubeObject[],
  apiVersion: string,
  { client, random }: ConversionParts,
): Promise<KubeObject[]> {
  const [first] = objects;
  if (!first) return [];
  const accepted = crd.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  const version = accepted.find((candidate) => versions.includes(candidate));
  if (version === undefined) throw failure('no supported conversion review versions');
  const uid = randomUid(random);
  const review = {
    kind: 'ConversionReview',
    apiVersion: formatApiVersion({ group, version }),
    request: { uid, desiredAPIVersion: apiVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
  const whose = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`;
  let converted: readonly unknown[];
  try {
    converted = readConverted(await client().post(review, timeoutSeconds), version, uid);
  } catch (cause) {
    throw failure(`${whose} failed: ${(cause as Error).message}`, cause);
  }
  if (converted.length !== objects.length)
    throw failure(`${whose} returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((object, index) => accept(object, converted[index], apiVersion, whose));
}

/** Upstream says no more than the message, and gives no reason. */
function failure(message: string, cause?: unknown): StatusError {
  return new StatusError({ code: 500, message }, { cause });
}

function readConverted(answer: unknown, version: string, uid: string): readonly unknown[] {
  const body = readReview(answer, { group, version, kind: 'ConversionReview', versions });
  const at = { struct: 'ConversionReview', path: 'response' };
  const response = readField<Record<string, unknown>>(body, 'response', 'object', at);
  if (version === 'v1') checkKind(body);
  if (!response) throw new Error('no response provided');
  const given = readField<string>(response, 'uid', 'string', at) ?? '';
  if (version === 'v1' && given !== uid)
    throw new Error(`expected response.uid=${quoteGo(uid)}, got ${quoteGo(given)}`);
  const { status = '', message = '' } =
    readField<{ status?: string; message?: string }>(response, 'result', 'object', at) ?? {};
  if (status !== 'Success')
    throw new Error(message === '' ? `response.result.status was '${status}', not 'Success'` : message);
  return Array.isArray(response.convertedObjects) ? (response.convertedObjects as unknown[]) : [];
}

function checkKind({ apiVersion = '', kind = '' }: Record<string, unknown>): void {
  if (apiVersion === `${group}/v1` && kind === 'ConversionReview') return;
  const actual = String(apiVersion).includes('/') ? String(apiVersion) : `/${String(apiVersion)}`;
  throw new Error(
    `expected webhook response of ${group}/v1, Kind=ConversionReview, got ${actual}, Kind=${String(kind)}`,
  );
}

/** Takes a converted object if it is still the same object; all metadata but labels and annotations stays as it was. */
function accept(original: KubeObject, converted: unknown, apiVersion: string, whose: string): KubeObject {
  if (typeof converted !== 'object' || converted === null || Array.isArray(converted))
    throw failure(`${whose} returned invalid object: Object 'Kind' is missing in '${stringifyJson(converted)}'`);
  const object = converted as Partial<Draft>;
  if (object.apiVersion !== apiVersion)
    throw failure(
      `${whose} returned invalid object at index 0: invalid groupVersion (expected ${apiVersion}, received ${object.apiVersion ?? ''})`,
    );
  if (object.kind !== original.kind)
    throw failure(
      `${whose} returned invalid object at index 0: invalid kind (expected ${original.kind}, received ${object.kind ?? ''})`,
    );
  const changed = changedIdentity(original, object.metadata ?? {});
  if (changed) throw failure(`${whose} returned invalid object: ${changed}`);
  return { ...object, metadata: restoreMetadata(original, object.metadata, whose) } as KubeObject;
}

function changedIdentity({ metadata: before }: KubeObject, after: KubeObject['metadata']): string | undefined {
  for (const [field, label] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [expected = '', actual = ''] = [before[field], after[field]];
    if (expected !== actual) return `must have the same ${label}: ${expected} != ${actual}`;
  }
  return undefined;
}

function restoreMetadata(original: KubeObject, given: unknown, whose: string): KubeObject['metadata'] {
  const wrong = (reason: string) => failure(`${whose} returned invalid metadata: ${reason}`);
  if (given === undefined) throw wrong('missing metadata in converted object');
  const { labels, annotations, ...rest } = original.metadata;
  const before = { labels, annotations };
  const metadata = cloneJson(rest) as Record<string, unknown>;
  for (const field of ['labels', 'annotations'] as const) {
    const map = (given as Record<string, unknown>)[field];
    if (map === undefined || map === null) continue;
    if (typeof map !== 'object' || Array.isArray(map))
      throw wrong(`invalid metadata.${field} of type ${goType(map)} in converted object`);
    for (const [key, value] of Object.entries(map))
      if (typeof value !== 'string')
        throw wrong(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
    const errors = checkMap(field, map as Record<string, string>, before[field]);
    if (errors.length > 0) throw wrong(formatFieldErrors(errors));
    metadata[field] = map;
  }
  return metadata as KubeObject['metadata'];
}

/** The old object need not be valid; only changes are checked. */
function checkMap(
  field: 'labels' | 'annotations',
  map: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> = {},
): FieldError[] {
  const keys = Object.keys(map);
  if (keys.length === Object.keys(before).length && keys.every((key) => before[key] === map[key])) return [];
  if (field === 'labels') return validateLabels(map, FieldPath.of('metadata').child('labels'));
  const errors: FieldError[] = [];
  validateAnnotations(map, FieldPath.of('metadata').child('annotation'), errors);
  return errors;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    case 'boolean':
      return 'bool';
    case 'object':
      return value === null ? '<nil>' : 'map[string]interface {}';
    default:
      return typeof value;
  }
}
