import type { FieldErrors } from '@tektite/controller/field-errors';
import type { TriggerSettings } from '../../kinds/component-fields.ts';
import { oneOf } from './validate-shared.ts';

/** Validates the settings of Triggers. */
export function validateTriggerSettings(settings: TriggerSettings, path: string): FieldErrors {
  return oneOf(settings['enable-api-fields'], ['stable', 'alpha'], `${path}.enable-api-fields`);
}
