import { goStructJson } from '@tektite/go';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import { paths } from './internal-volumes.ts';

export interface EntrypointOptions {
  readonly flags: FeatureFlags;
  /** Whether the first step waits until the sidecars are ready. */
  readonly waitsForReady: boolean;
  /** Credentials to write, as flags. */
  readonly credentials: readonly string[];
  /** Whether results are printed by a sidecar. */
  readonly hasResultsSidecar: boolean;
  readonly breakpoints: { readonly onFailure: boolean; readonly beforeSteps: ReadonlySet<string> };
}

/** The arguments of the program in a step's container: when to start, what to run, and what to report afterwards. */
export function entrypointArguments(
  task: TaskSpec,
  step: Step,
  index: number,
  command: readonly string[],
  args: readonly string[],
  options: EntrypointOptions,
): readonly string[] {
  const [program, ...rest] = command;
  return [
    ...waiting(index, options),
    '-post_file',
    `${paths.run}/${index}/out`,
    '-termination_path',
    paths.termination,
    '-step_metadata_dir',
    `${paths.run}/${index}/status`,
    ...modes(options),
    ...ofStep(step),
    ...results(task),
    ...debugging(step, options),
    ...(program === undefined ? [] : ['-entrypoint', program]),
    '--',
    ...rest,
    ...args,
  ];
}

function waiting(index: number, { waitsForReady }: EntrypointOptions): readonly string[] {
  if (index > 0) return ['-wait_file', `${paths.run}/${index - 1}/out`];
  return waitsForReady ? ['-wait_file', `${paths.downward}/ready`, '-wait_file_content'] : [];
}

/** The common arguments of all steps. */
function modes({ flags, credentials, hasResultsSidecar }: EntrypointOptions): readonly string[] {
  const isCompressed = flags.enableTerminationMessageCompression && flags.resultExtractionMethod !== 'sidecar-logs';
  return [
    ...(flags.enforceNonfalsifiability === 'spire' ? ['-enable_spire'] : []),
    ...credentials,
    ...(hasResultsSidecar ? ['-result_from', 'sidecar-logs'] : []),
    ...(isCompressed ? ['-compress_termination_message=true'] : []),
  ];
}

function ofStep({ onError, timeout, stdoutConfig, stderrConfig, results: own, when }: Step): readonly string[] {
  return [
    ...(onError ? ['-on_error', onError] : []),
    ...(timeout ? ['-timeout', timeout] : []),
    ...(stdoutConfig ? ['-stdout_path', stdoutConfig.path ?? ''] : []),
    ...(stderrConfig ? ['-stderr_path', stderrConfig.path ?? ''] : []),
    ...(own?.length ? ['-step_results', own.map(({ name }) => name).join(',')] : []),
    ...(when?.length ? ['--when_expressions', goStructJson(when)] : []),
  ];
}

/** Every step reads all results of the Task; those that come from a step's result are not files. */
function results({ results: declared = [] }: TaskSpec): readonly string[] {
  if (declared.length === 0) return [];
  return [
    '-results',
    declared
      .filter(({ value }) => value === undefined)
      .map(({ name }) => name)
      .join(','),
  ];
}

function debugging({ name = '' }: Step, { breakpoints }: EntrypointOptions): readonly string[] {
  return [
    ...(breakpoints.onFailure ? ['-breakpoint_on_failure'] : []),
    ...(breakpoints.beforeSteps.has(name) ? ['-debug_before_step'] : []),
  ];
}
