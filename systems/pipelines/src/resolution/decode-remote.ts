import { decodeStruct, jsonTypeName, mismatchText, unknownFields, isDecodeError } from '@tektite/go';
import { type KubeObject, parseApiVersion } from '@tektite/meta';
import { definitionOf } from '@tektite/schema/kubernetes';
import { parseFirstYaml, strictYamlError, isYamlError } from '@tektite/schema/yaml';
import type { StructKind } from '@tektite/schema/struct';
import { findKind } from '../kinds/all-kinds.ts';
import { decodeObject } from '../rules/decode-object.ts';
import { RemoteFailure, isRemoteFailure } from './remote-failure.ts';

/** The kinds that upstream's decoder knows, by version. Each has a list, too, which is never fetched. */
const known: Readonly<Record<string, readonly string[]>> = {
  v1: ['Task', 'Pipeline', 'TaskRun', 'PipelineRun'],
  v1beta1: ['Task', 'Pipeline', 'TaskRun', 'PipelineRun', 'CustomRun', 'StepAction'],
  v1alpha1: ['Run', 'VerificationPolicy', 'StepAction'],
};
const scheme = 'pkg/client/clientset/versioned/scheme/register.go:32';

/**
 * Reads what a resolver brought: one of Tekton's objects, in YAML or JSON. Of more documents than one only the first counts.
 * Unknown and double fields are refused. Throws a {@link RemoteFailure} in the words of Kubernetes' decoder.
 */
export function decodeRemote(data: Uint8Array): KubeObject {
  const text = Buffer.from(data).toString('utf8');
  try {
    return decodeText(text);
  } catch (error) {
    if (isRemoteFailure(error)) throw error;
    if (!isYamlError(error) && !isDecodeError(error)) throw error;
    throw invalid(error.message, error);
  }
}

/** The struct with which upstream reads the kind of an object, as Go prints its type. */
const versionKind =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function decodeText(text: string): KubeObject {
  const document = parseFirstYaml(text);
  const value = document?.value ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`couldn't get version/kind; json parse error: ${mismatchText(jsonTypeName(value), versionKind)}`);
  const object = value as KubeObject;
  const kind = kindOf(object, text);
  const printed = decodeObject<KubeObject>(kind, withMetadata(object), false);
  const strict = [
    ...(document?.duplicateKeys.length ? [strictYamlError(document)] : []),
    ...unknownFields(kind.struct, value),
  ];
  if (strict.length > 0) throw invalid(`strict decoding error: ${strict.join(', ')}`);
  return printed;
}

/** Checks the types of an object's metadata, which the webhooks leave to the server. */
function withMetadata(object: KubeObject): KubeObject {
  const metadata: unknown = object.metadata ?? {};
  decodeStruct(definitionOf('meta/v1.ObjectMeta'), metadata, { strict: false });
  return { ...object, metadata: metadata as KubeObject['metadata'] };
}

function kindOf({ apiVersion, kind }: KubeObject, text: string): StructKind {
  if (!kind) throw invalid(`Object 'Kind' is missing in '${text}'`);
  if (!apiVersion) throw invalid(`Object 'apiVersion' is missing in '${text}'`);
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const isKnown = group === 'tekton.dev' && Object.hasOwn(known, version) && known[version]?.includes(kind);
  const found = isKnown ? findKind(version, kind) : undefined;
  if (!found) throw invalid(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
  return found;
}

function invalid(message: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure('resolution', `invalid runtime object: ${message}`, { cause });
}
