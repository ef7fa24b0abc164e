import { DecodeError, decodeJson, type JsonDocument } from '@tektite/go';
import {
  badRequestError,
  cloneJson,
  formatApiVersion,
  type GroupVersionKind,
  isStatusError,
  type StatusError,
  stringifyJson,
} from '@tektite/meta';
import { parseFirstYaml, strictYamlError, isYamlError } from '@tektite/schema/yaml';
import { findBuiltinDefinition } from '@tektite/schema/kubernetes';
import { decodeProtobuf } from './decode-protobuf.ts';
import { type BodyFormat, bodyFormat } from './media-type.ts';
import { cannotBeHandled, readVersionKind, withDefaults } from './version-kind.ts';

/** The kind a body is meant to be of. */
export interface BodyTarget extends GroupVersionKind {
  readonly custom: boolean;
}

/**
 * Reads the body of a create or an update: JSON, YAML or protobuf by its content type, and of the kind that is asked for. An object from
 * this process is taken as it is.
 *
 * Throws a StatusError: 415 for another format, 400 for a body that is no object, or an object of another kind or version.
 */
export function readBody(body: Uint8Array | object, contentType: string | undefined, target: BodyTarget): JsonDocument {
  // The caller keeps its object: what is read from it is changed and frozen later on.
  if (!(body instanceof Uint8Array))
    return checked({ value: cloneJson(body), hasNumberTexts: false }, target, () => body);
  const format = bodyFormat(contentType, target);
  let document: JsonDocument;
  try {
    document = parse(body, format, target);
  } catch (error) {
    if (isStatusError(error)) throw error;
    throw unrecognized(target, (error as Error).message, body);
  }
  return checked(document, target, () => body);
}

function parse(body: Uint8Array, format: BodyFormat, target: BodyTarget): JsonDocument {
  if (format === 'protobuf') return { value: decodeProtobuf(body), hasNumberTexts: false };
  if (format === 'yaml') return parseYamlBody(body);
  try {
    return decodeJson(body, { keepNumbers: !target.custom });
  } catch (error) {
    throw new DecodeError(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}

function parseYamlBody(body: Uint8Array): JsonDocument {
  try {
    const document = parseFirstYaml(new TextDecoder().decode(body));
    if (!document) return { value: null, hasNumberTexts: false };
    const strictError = strictYamlError(document);
    return { value: document.value, hasNumberTexts: false, ...(strictError ? { strictErrors: [strictError] } : {}) };
  } catch (error) {
    if (isYamlError(error)) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

/** Makes sure that the document is of the kind asked for, or says nothing else. */
function checked(document: JsonDocument, target: BodyTarget, body: () => Uint8Array | object): JsonDocument {
  let actual: GroupVersionKind;
  try {
    actual = readVersionKind(document.value);
  } catch (error) {
    throw unrecognized(target, (error as Error).message, body());
  }
  if (target.custom) checkCustom(actual, target, body);
  else checkBuiltin(withDefaults(actual, target), target);
  return document;
}

/** A custom resource must say its kind. */
function checkCustom(actual: GroupVersionKind, target: BodyTarget, body: () => Uint8Array | object): void {
  if (actual.kind === '') throw unrecognized(target, `Object 'Kind' is missing in '${textOf(body())}'`, body());
  checkVersion(actual, target);
}

function checkBuiltin(actual: GroupVersionKind, target: BodyTarget): void {
  if (actual.kind === target.kind && actual.group === target.group && actual.version === target.version) return;
  if (!findBuiltinDefinition(actual.group, actual.version, actual.kind)) {
    const scheme = 'pkg/api/legacyscheme/scheme.go:30';
    const reason = `no kind "${actual.kind}" is registered for version "${formatApiVersion(actual)}" in scheme "${scheme}"`;
    throw badRequestError(cannotBeHandled(actual, target.kind, reason));
  }
  if (internalType(actual) !== internalType(target)) {
    const reason = `converting (${actual.version}.${actual.kind}) to (${internalType(target)}): unknown conversion`;
    throw badRequestError(cannotBeHandled(actual, target.kind, reason));
  }
  checkVersion(actual, target);
}

/** The type that all versions of a kind are converted to: `core.Pod`. Both groups of events share one. */
function internalType({ group, kind }: GroupVersionKind): string {
  const name = group === 'events.k8s.io' ? 'core' : (group.split('.')[0] as string);
  return `${name === '' ? 'core' : name}.${kind}`;
}

function checkVersion(actual: GroupVersionKind, target: BodyTarget): void {
  if (actual.group === target.group && actual.version === target.version) return;
  throw badRequestError(
    `the API version in the data (${formatApiVersion(actual)}) does not match the expected API version (${formatApiVersion(target)})`,
  );
}

function unrecognized({ kind }: BodyTarget, reason: string, body: Uint8Array | object): StatusError {
  return badRequestError(
    `the object provided is unrecognized (must be of type ${kind}): ${reason} (${summarize(textBytes(body))})`,
  );
}

/** The first bytes of a body, as text when it looks like JSON. */
function summarize(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const encoding = bytes[0] === 0x7b ? 'utf8' : 'hex';
  return bytes.subarray(0, 30).toString(encoding) + (bytes.length > 30 ? ' ...' : '');
}

function textBytes(body: Uint8Array | object): Buffer {
  return Buffer.from(body instanceof Uint8Array ? body : stringifyJson(body));
}

function textOf(body: Uint8Array | object): string {
  return textBytes(body).toString('utf8');
}
