import { stringifyJson } from '@tektite/meta';
import type { ResolvedTemplate } from './resolve-trigger.ts';

/** On a template: quotes in values get a backslash, as in old versions. */
const oldEscapeAnnotation = 'triggers.tekton.dev/old-escape-quotes';
const variable = /\$\(tt\.params\.([^)]*)\)/g;

/**
 * The objects of a template as JSON texts, with `$(tt.params.…)` and `$(uid)` replaced. Values are inserted into the text: one
 * that breaks the JSON fails later, when the object is read.
 *
 * Each variable is replaced once. Upstream replaces parameter after parameter in random order, so a value that names another
 * parameter may be replaced there again.
 */
export function resolveResources(
  { metadata, spec }: ResolvedTemplate,
  params: ReadonlyMap<string, string>,
  uid: string,
): readonly string[] {
  const isOld = Object.hasOwn(metadata?.annotations ?? {}, oldEscapeAnnotation);
  const replacement = (value: string) =>
    // Variables of Tekton Pipelines in a value are text, and not variables.
    (isOld ? value.replaceAll('"', '\\"') : value).replaceAll('$(', '$$$$(');
  return (spec.resourcetemplates ?? []).map((template) =>
    stringifyJson(template ?? null)
      .replaceAll(variable, (whole, name: string) => {
        const value = params.get(name);
        return value === undefined ? whole : replacement(value);
      })
      .replaceAll('$(uid)', uid),
  );
}
