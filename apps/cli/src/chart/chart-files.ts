import type { DynamicObject } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import type { ReleaseObject, ReleaseValues, ValueTest } from '../release/release-values.ts';
import { templateValue } from '../release/template-value.ts';
import { typeOf } from './merge-values.ts';
import { valueDescriptions } from './value-descriptions.ts';

export interface ChartOptions {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Made with placeholders for values, in the namespace of the placeholder. */
  readonly objects: readonly ReleaseObject<DynamicObject>[];
  readonly values: ReleaseValues;
}

/** Where a chart is installed is known when it is. */
export const namespacePlaceholder = 'release-namespace-placeholder';

/** The files of a Helm chart, by their paths: the objects as templates, the default values and their schema. */
export function chartFiles({ name, version, summary, objects, values }: ChartOptions): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  files.set(
    'Chart.yaml',
    formatYaml({
      apiVersion: 'v2',
      name,
      description: summary,
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: '>=1.25.0-0',
    }),
  );
  files.set('values.yaml', valuesFile(values));
  files.set('values.schema.json', `${JSON.stringify(schemaOf(values), undefined, 2)}\n`);
  const byKind = new Map<string, string[]>();
  for (const part of objects) {
    // Helm creates the namespace.
    if (part.object.kind === 'Namespace' && part.object.metadata.name === namespacePlaceholder) continue;
    const texts = byKind.get(part.object.kind) ?? [];
    byKind.set(part.object.kind, texts);
    texts.push(templateOf(part, values));
  }
  for (const [kind, texts] of byKind) files.set(`templates/${kind.toLowerCase()}.yaml`, texts.join(''));
  return files;
}

function valuesFile(values: ReleaseValues): string {
  return Object.entries(values)
    .map(([key, value]) => `# ${valueDescriptions[key as keyof ReleaseValues]}\n${formatYaml({ [key]: value })}`)
    .join('\n');
}

function schemaOf(values: ReleaseValues): object {
  const properties = Object.entries(values).map(([key, value]) => [
    key,
    { type: typeOf(value), description: valueDescriptions[key as keyof ReleaseValues] },
  ]);
  return {
    $schema: 'https://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(properties), global: { type: 'object' } },
  };
}

function templateOf({ object, when }: ReleaseObject<DynamicObject>, values: ReleaseValues): string {
  const isDefinition = object.kind === 'CustomResourceDefinition';
  const lines = formatYaml(object)
    .split('\n')
    .flatMap((line) => templateLines(escaped(line), values));
  const text = lines.join('\n').replaceAll(namespacePlaceholder, '{{ .Release.Namespace }}');
  const document = `---\n${isDefinition ? kept(text) : text}`;
  return when === undefined ? document : `{{- if ${conditionOf(when)} }}\n${document}{{- end }}\n`;
}

function conditionOf({ path, equals }: ValueTest): string {
  return equals === undefined ? `.Values.${path}` : `eq .Values.${path} ${JSON.stringify(equals)}`;
}

/** Texts of objects, such as descriptions, may look like a template. */
function escaped(line: string): string {
  return line.replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
}

/** `helm uninstall` leaves definitions, and with them what users created. */
function kept(text: string): string {
  const annotation = '{{- if .Values.crds.keep }}\n    helm.sh/resource-policy: keep\n{{- end }}';
  if (/^ {2}annotations:\n/m.test(text))
    return text.replace(/^ {2}annotations:\n/m, (line) => `${line}${annotation}\n`);
  const whole = '{{- if .Values.crds.keep }}\n  annotations:\n    helm.sh/resource-policy: keep\n{{- end }}';
  return text.replace(/^metadata:\n/m, (line) => `${line}${whole}\n`);
}

/** A line whose value is a placeholder becomes an action that puts in the value, as its type wants it. */
function templateLines(line: string, values: ReleaseValues): readonly string[] {
  const [, indent = '', key = '', text] = /^(\s*)((?:- )*(?:[\w./-]+: )?)['"]?(@@[^@]+@@)['"]?$/.exec(line) ?? [];
  const value = templateValue(text);
  if (!value) return [line];
  const path = `.Values.${value.path}`;
  const type = typeOf(defaultOf(values, value.path));
  const depth = indent.length + 2;
  if (value.mark === '*') return [`${indent}{{- range ${path} }}`, `${indent}- {{ . | quote }}`, `${indent}{{- end }}`];
  if (value.mark === '?') {
    const filled =
      type === 'string'
        ? [`${indent}${key}{{ . | quote }}`]
        : [`${indent}${key.trimEnd()}`, `${indent}  {{- toYaml . | nindent ${depth} }}`];
    return [`${indent}{{- with ${path} }}`, ...filled, `${indent}{{- end }}`];
  }
  if (type === 'object' || type === 'array')
    return [`${indent}${key.trimEnd()}`, `${indent}  {{- toYaml ${path} | nindent ${depth} }}`];
  return [`${indent}${key}{{ ${path}${type === 'string' || value.isQuoted ? ' | quote' : ''} }}`];
}

function defaultOf(values: object, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], values);
}
