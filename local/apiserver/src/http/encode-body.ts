import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';

/** An answer as text: compact JSON, indented JSON when asked with `?pretty`, or YAML. */
export function encodeBody(object: unknown, media: 'json' | 'yaml', url: string): string {
  if (media === 'yaml') return formatYaml(object);
  const pretty = /[?&]pretty(?:=(?!0|false)|&|$)/.test(url);
  return `${pretty ? JSON.stringify(object, null, 2) : encode(object)}\n`;
}

function encode(value: unknown): string {
  return typeof value === 'object' && value !== null ? encodeJson(value) : JSON.stringify(value);
}
