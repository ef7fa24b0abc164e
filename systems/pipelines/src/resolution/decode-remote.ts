import { type KubeObject, parseApiVersion } from '@tektite/meta';
import { parseFirstYaml, strictYamlError, YamlError } from '@tektite/schema/yaml';
import { GoDecoder } from '../kinds/go-decoder.ts';
import { GoValueError } from '../kinds/go-value.ts';
import { hasStruct } from '../kinds/struct-table.ts';
import { unknownFields } from '../kinds/unknown-fields.ts';
import { decodeObject } from '../rules/decode-object.ts';
import { RemoteFailure } from './remote-failure.ts';

/** The kinds that upstream's decoder knows, by version. Each has a list, too, which nobody fetches. */
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
    if (error instanceof RemoteFailure) throw error;
    if (!(error instanceof YamlError) && !(error instanceof GoValueError)) throw error;
    throw invalid(error.message, error);
  }
}

function decodeText(text: string): KubeObject {
  const document = parseFirstYaml(text);
  const value = document?.value ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const object = value as KubeObject;
  const struct = structKeyOf(object, text);
  const printed = decodeObject<KubeObject>(
    { version: versionOf(object), kind: object.kind },
    withMetadata(object),
    false,
  );
  const strict = [
    ...(document?.duplicateKeys.length ? [strictYamlError(document)] : []),
    ...unknownFields(struct, value).map((path) => `unknown field "${path}"`),
  ];
  if (strict.length > 0) throw invalid(`strict decoding error: ${strict.join(', ')}`);
  return printed;
}

function goKind(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
}

const versionOf = ({ apiVersion }: KubeObject) => parseApiVersion(apiVersion)?.version ?? '';

/** Checks the types of an object's metadata, which the webhooks leave to the server. */
function withMetadata(object: KubeObject): KubeObject {
  const metadata: unknown = object.metadata ?? {};
  new GoDecoder(false).decode('meta/v1.ObjectMeta', metadata as never, false);
  return { ...object, metadata: metadata as KubeObject['metadata'] };
}

function structKeyOf({ apiVersion, kind }: KubeObject, text: string): string {
  if (!kind) throw invalid(`Object 'Kind' is missing in '${text}'`);
  if (!apiVersion) throw invalid(`Object 'apiVersion' is missing in '${text}'`);
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const isKnown = group === 'tekton.dev' && Object.hasOwn(known, version) && known[version]?.includes(kind);
  if (!isKnown) throw invalid(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
  const key = `tekton/${version}.${kind}`;
  if (!hasStruct(key))
    throw invalid(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
  return key;
}

function invalid(message: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure('resolution', `invalid runtime object: ${message}`, { cause });
}
