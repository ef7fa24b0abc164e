import {
  booleanField,
  type ConfigOf,
  configKey,
  defineConfig,
  durationField,
  stringField,
} from '@tektite/controller/config';
import { goDurationToMilliseconds } from '@tektite/go';
import { parseLabelSelector, selectEverything, type Selector } from '@tektite/meta';

const minute = 60_000_000_000n;

/** The settings of the watcher, as keys of a ConfigMap: upstream has the same names as flags of its program. */
export const watcherSettings = defineConfig({
  name: 'tekton-results-watcher-config',
  keys: {
    gracePeriod: configKey('completed_run_grace_period', durationField(), 0n),
    checkOwner: configKey('check_owner', booleanField(), true),
    labelSelector: configKey('label_selector', selectorField, selectEverything),
    logs: configKey('logs_api', booleanField(), true),
    events: configKey('store_event', booleanField(), true),
    onlyCompleted: configKey('disable_storing_incomplete_runs', booleanField(), true),
    requeueInterval: configKey('requeue_interval', durationField({ minimum: 0n }), 10n * minute),
    storeDeadline: configKey('store_deadline', durationField({ minimum: 0n }), 10n * minute),
    summaryLabels: configKey('summary_labels', stringField(), 'tekton.dev/pipeline'),
    managedBy: configKey('managed_by_values', stringField(), ''),
  },
});

function selectorField(text: string): Selector {
  return text === '' ? selectEverything : parseLabelSelector(text);
}

export interface WatcherConfig {
  /** Negative: runs are deleted at once. 0: never. */
  readonly gracePeriodMs: number;
  readonly checkOwner: boolean;
  readonly labelSelector: Selector;
  readonly logs: boolean;
  readonly events: boolean;
  readonly onlyCompleted: boolean;
  readonly requeueMs: number;
  readonly storeDeadlineMs: number;
  readonly summaryLabels: readonly string[];
  /** Controllers besides Tekton's whose runs are archived. */
  readonly managedBy: ReadonlySet<string>;
}

export function watcherConfig(settings: ConfigOf<typeof watcherSettings>): WatcherConfig {
  const { gracePeriod, requeueInterval, storeDeadline, summaryLabels, managedBy, ...rest } = settings;
  return {
    ...rest,
    gracePeriodMs: goDurationToMilliseconds(gracePeriod),
    requeueMs: goDurationToMilliseconds(requeueInterval),
    storeDeadlineMs: goDurationToMilliseconds(storeDeadline),
    summaryLabels: listOf(summaryLabels),
    managedBy: new Set(listOf(managedBy)),
  };
}

/** Tekton's own runs, and those of controllers that the settings name. */
export function isManagedHere(managedBy: string | undefined, config: WatcherConfig): boolean {
  const name = managedBy?.trim() ?? '';
  return name === '' || name === 'tekton.dev/pipeline' || config.managedBy.has(name);
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
