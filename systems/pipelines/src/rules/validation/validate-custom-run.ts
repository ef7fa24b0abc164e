import {
  type FieldErrors,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
} from '@tektite/controller/field-errors';
import type { CustomRun } from '../../kinds/custom-run.ts';
import type { CustomRunSpec } from '../../kinds/custom-run-spec.ts';
import { allErrors } from './all-errors.ts';
import { validateMetadata } from './validate-metadata.ts';
import { validateUniqueNames } from './validate-names.ts';
import { validateWorkspaceBindings } from './validate-workspaces.ts';

/** The first thing that is wrong with a CustomRun. What its own controller wants of it is not known here. */
export function validateCustomRun({ metadata, spec }: CustomRun): FieldErrors {
  const errors = validateMetadata(metadata);
  return errors.isEmpty ? validateSpec(spec) : errors;
}

function validateSpec(spec: CustomRunSpec): FieldErrors {
  const { customRef, customSpec, params = [], workspaces = [], status = '', statusMessage = '' } = spec;
  if (Object.values(spec).every((value) => value === '')) return missingField('spec');
  const sources = ['spec.customRef', 'spec.customSpec'] as const;
  if (customRef && customSpec) return multipleOneOf(...sources);
  if (!customRef && !customSpec) return missingOneOf(...sources);
  const [said, path] = customRef ? [customRef, sources[0]] : [customSpec, sources[1]];
  if (!said?.apiVersion) return missingField(`${path}.apiVersion`);
  if (!said.kind) return missingField(`${path}.kind`);
  if (status === '' && statusMessage !== '')
    return invalidValue(
      `statusMessage should not be set if status is not set, but it is currently set to ${statusMessage}`,
      'statusMessage',
    );
  const names = params.map(({ name }) => name);
  const double = validateUniqueNames(names, 'key').viaField('spec.params');
  return double.isEmpty ? allErrors([validateWorkspaceBindings(workspaces).viaField('spec.workspaces')]) : double;
}
