import { type FieldErrors, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import type { PipelineSettings } from '../../kinds/pipeline-fields.ts';
import { oneOf, validatePerformance } from './validate-shared.ts';

/** Validates the settings of Pipelines. */
export function validatePipeline(settings: PipelineSettings, path: string): FieldErrors {
  let errors = oneOf(settings['enable-api-fields'], ['alpha', 'beta', 'stable'], `${path}.enable-api-fields`);
  const inline = settings['disable-inline-spec'] ?? '';
  for (const part of inline.split(','))
    if (!['', 'pipeline', 'pipelinerun', 'taskrun'].includes(part))
      errors = errors.also(invalidValue(inline, `${path}.disable-inline-spec`));
  const { 'default-timeout-minutes': timeout, 'max-result-size': size = 0 } = settings;
  return errors.also(
    timeout === 0 ? invalidValue(timeout, `${path}.default-timeout-minutes`) : noFieldErrors,
    size >= 1_572_864 ? invalidValue(size, `${path}.max-result-size`) : noFieldErrors,
    oneOf(
      settings['trusted-resources-verification-no-match-policy'],
      ['fail', 'warn', 'ignore'],
      `${path}.trusted-resources-verification-no-match-policy`,
    ),
    oneOf(settings['results-from'], ['termination-message', 'sidecar-logs'], `${path}.results-from`),
    oneOf(settings['enforce-nonfalsifiability'], ['none', 'spire'], `${path}.enforce-nonfalsifiability`),
    oneOf(settings.coschedule, ['disabled', 'workspaces', 'pipelineruns', 'isolate-pipelinerun'], `${path}.coschedule`),
    validatePerformance(settings.performance, `${path}.performance`),
  );
}
