import { type FieldErrors, genericError, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import { type Param, paramValue } from '../kinds/shared-fields.ts';
import { isReleaseVersion } from '../payload/release-version.ts';

/** Components by the names users choose them by. */
export const componentNames = [
  'pipeline',
  'trigger',
  'chain',
  'result',
  'dashboard',
  'addon',
  'pipelines-as-code',
  'pruner',
  'scheduler',
] as const;
export type ComponentName = (typeof componentNames)[number];

/**
 * Settings that upstream's operator does not have. They are in `spec.params`, where upstream takes any name, so that
 * the CRD of TektonConfig stays upstream's.
 */
export interface OperatorParams {
  /** `upgradeStrategy`: `rolling` replaces in place, `recreate` deletes first, as upstream does. Default recreate. */
  readonly strategy: 'rolling' | 'recreate';
  /** `rollbackOnFailure`: go back to what worked when an upgrade does not become ready. */
  readonly rollback: boolean;
  /** `components`: these and no others, whatever the profile. `pipeline` is always among them. */
  readonly components?: ReadonlySet<string>;
  /** `pipelineVersion`, `triggerVersion`, …: a release that is not the newest. */
  readonly versions: Readonly<Record<string, string>>;
}

const versionParam = (name: string) => `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Version`;

export function readOperatorParams(params: readonly Param[] | undefined): OperatorParams {
  const chosen = paramValue(params, 'components');
  const versions = componentNames.flatMap((name) => {
    const version = paramValue(params, versionParam(name));
    return version ? [[name, version] as const] : [];
  });
  return {
    strategy: paramValue(params, 'upgradeStrategy') === 'rolling' ? 'rolling' : 'recreate',
    rollback: paramValue(params, 'rollbackOnFailure') === 'true',
    ...(chosen ? { components: new Set(['pipeline', ...listOf(chosen)]) } : {}),
    versions: Object.fromEntries(versions),
  };
}

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Validates them. Unknown names are ignored, as upstream does. */
export function validateOperatorParams(params: readonly Param[] | undefined): FieldErrors {
  const path = 'spec.params';
  let errors = noFieldErrors;
  const check = (name: string, isGood: (value: string) => boolean, words: string) => {
    const value = paramValue(params, name);
    if (value !== undefined && !isGood(value)) errors = errors.also(invalidValue(value, `${path}.${name}`, words));
  };
  check('upgradeStrategy', (value) => ['rolling', 'recreate'].includes(value), 'one of rolling, recreate');
  check('rollbackOnFailure', (value) => ['true', 'false'].includes(value), 'one of true, false');
  for (const name of componentNames) check(versionParam(name), isReleaseVersion, 'a version, as v1.15.0');
  for (const name of listOf(paramValue(params, 'components') ?? ''))
    if (!componentNames.includes(name as ComponentName))
      errors = errors.also(
        genericError(`there is no component ${name}; there are ${componentNames.join(', ')}`, `${path}.components`),
      );
  return errors;
}
