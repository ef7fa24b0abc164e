import { stringifyJson } from '@tektite/meta';
import { detailedError, type FieldErrors, missingField, noFieldErrors } from '@tektite/controller/field-errors';
import type { TriggerTemplateObject, TriggerTemplateSpec } from '../kinds/template.ts';
import { validateMetadata } from './validate-metadata.ts';

const paramPattern = /\$\(tt.params.([_a-zA-Z][_a-zA-Z0-9.-]*)\)/g;

export function validateTriggerTemplate({ metadata, spec }: TriggerTemplateObject): FieldErrors {
  return validateMetadata(metadata).also(validateTemplateSpec(spec).viaField('spec'));
}

export function validateTemplateSpec({ params = [], resourcetemplates = [] }: TriggerTemplateSpec): FieldErrors {
  const field = 'resourcetemplates';
  const isEmpty = params.length === 0 && resourcetemplates.length === 0;
  return noFieldErrors
    .also(isEmpty ? missingField('') : undefined)
    .also(resourcetemplates.length === 0 ? missingField(field) : undefined)
    .also(...resourcetemplates.map((template, index) => validateResource(template).viaFieldIndex(field, index)))
    .also(findUndeclaredParam(new Set(params.map(({ name }) => name)), resourcetemplates).viaField(field));
}

function validateResource(template: unknown): FieldErrors {
  const { apiVersion, kind } = (template ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown };
  const isSet = (value: unknown) => typeof value === 'string' && value !== '';
  // Upstream finds no kind in an object whose version it cannot split.
  const isSplit = typeof apiVersion !== 'string' || apiVersion.split('/').length <= 2;
  return noFieldErrors
    .also(isSet(kind) && isSplit ? undefined : missingField('kind'))
    .also(isSet(apiVersion) ? undefined : missingField('apiVersion'));
}

/** Returns the first one. */
function findUndeclaredParam(declared: ReadonlySet<string>, templates: readonly unknown[]): FieldErrors {
  for (const [index, template] of templates.entries())
    for (const [, name = ''] of stringifyJson(template).matchAll(paramPattern)) {
      if (declared.has(name)) continue;
      return detailedError({
        message: `invalid value: undeclared param '$(tt.params.${name})'`,
        paths: [`[${index}]`],
        details: `'$(tt.params.${name})' must be declared in spec.params`,
      });
    }
  return noFieldErrors;
}
