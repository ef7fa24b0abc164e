import { StatusError } from '@tektite/meta';

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const json = 'application/json';
const yaml = 'application/yaml';
export const protobuf = 'application/vnd.kubernetes.protobuf';

/**
 * The format of a body by its content type; JSON when it has none. Custom resources do not come as protobuf. Throws a
 * StatusError (415) for an unsupported type.
 */
export function bodyFormat(contentType: string | undefined, { custom }: { readonly custom: boolean }): BodyFormat {
  const type = parseMediaType(contentType ?? '') || (contentType ? '' : json);
  if (type === json) return 'json';
  if (type === yaml) return 'yaml';
  if (type === protobuf && !custom) return 'protobuf';
  const accepted = custom ? [json, yaml] : [json, yaml, protobuf];
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}

/** The type without its parameters, in lower case; empty for what is no media type. */
function parseMediaType(text: string): string {
  const type = (text.split(';')[0] as string).trim().toLowerCase();
  return /^[^\s/;,]+\/[^\s/;,]+$/.test(type) ? type : '';
}
