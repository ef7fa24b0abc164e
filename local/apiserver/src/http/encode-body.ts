import { formatYaml } from '@tektite/schema/yaml';

/** An answer as text: compact JSON, indented JSON when asked with `?pretty`, or YAML. */
export function encodeBody(object: unknown, media: 'json' | 'yaml', url: string): string {
  if (media === 'yaml') return formatYaml(object);
  const pretty = /[?&]pretty(?:=(?!0|false)|&|$)/.test(url);
  return `${pretty ? JSON.stringify(object, null, 2) : JSON.stringify(object)}\n`;
}
