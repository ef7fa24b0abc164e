import type { Pod } from '@tektite/schema/kubernetes';

/** Values of downward API fields that are not in the Pod object. */
export interface FieldContext {
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
}

const subscript = /^metadata\.(annotations|labels)\['(.*)'\]$/s;

/** The value of a field of the Pod, as the downward API gives it. Throws for fields it does not know. */
export function fieldValue(pod: Pod, fieldPath: string, context: FieldContext): string {
  const { metadata, spec } = pod;
  const keyed = subscript.exec(fieldPath);
  if (keyed) {
    const [, field, key = ''] = keyed;
    const map = (field === 'labels' ? metadata.labels : metadata.annotations) ?? {};
    return Object.hasOwn(map, key) ? (map[key] ?? '') : '';
  }
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return mapText(metadata.labels ?? {});
    case 'metadata.annotations':
      return mapText(metadata.annotations ?? {});
    case 'spec.nodeName':
      return spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return context.hostIPs[0] ?? '';
    case 'status.hostIPs':
      return context.hostIPs.join(',');
    case 'status.podIP':
      return context.podIPs[0] ?? '';
    case 'status.podIPs':
      return context.podIPs.join(',');
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** `key="value"` lines, sorted, quoted as Go does. */
function mapText(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuote(map[key] ?? '')}`)
    .join('\n');
}

/** A text in quotes, as Go's `%q` writes it. */
export function goQuote(text: string): string {
  let quoted = '"';
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    const short = {
      '"': '\\"',
      '\\': '\\\\',
      '\n': '\\n',
      '\t': '\\t',
      '\r': '\\r',
      '\x07': '\\a',
      '\b': '\\b',
      '\f': '\\f',
      '\v': '\\v',
    }[char];
    if (short) quoted += short;
    else if (code < 0x20 || code === 0x7f) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
    else quoted += char;
  }
  return `${quoted}"`;
}
