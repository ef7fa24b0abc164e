import { printAsGo } from '@tektite/schema';
import type { PipelinesAsCodeSettings } from '../../kinds/component-fields.ts';
import type { PrunerSettings } from '../../kinds/pruner-fields.ts';
import { TektonConfig, type TektonConfigSpec } from '../../kinds/tekton-config.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  defaultAddon,
  defaultChain,
  defaultEventPruner,
  defaultResultRoute,
  defaultScheduler,
  defaultTrigger,
} from './default-components.ts';
import { defaultPipeline } from './default-pipeline.ts';
import { defaultPipelinesAsCode } from '../pipelines-as-code-settings.ts';

type Filled = Required<TektonConfigSpec>;

/**
 * The spec with everything that was left out.
 *
 * @example
 * defaultTektonConfig({ targetNamespace: 'tekton-pipelines' }, 'kubernetes').profile; // basic
 */
export function defaultTektonConfig(given: TektonConfigSpec, platform: Platform): TektonConfigSpec {
  const spec = printAsGo(given, TektonConfig.fields?.spec) as Filled;
  const defaulted = {
    ...spec,
    profile: spec.profile ?? 'basic',
    pipeline: defaultPipeline(spec.pipeline, platform),
    trigger: defaultTrigger(spec.trigger, platform),
    chain: defaultChain(spec.chain),
    result: defaultResultRoute(spec.result, platform),
    tektonpruner: defaultEventPruner(spec.tektonpruner),
    scheduler: defaultScheduler(spec.scheduler),
    platforms: platform === 'openshift' ? openShiftPlatform(spec) : kubernetesPlatform(spec),
    addon: defaultAddon(spec.addon),
    pruner: defaultPruner(spec.pruner),
  };
  return printAsGo(defaulted, TektonConfig.fields?.spec);
}

function kubernetesPlatform({ platforms, addon }: Filled): NonNullable<TektonConfigSpec['platforms']> {
  return {
    ...platforms,
    kubernetes: { ...platforms.kubernetes, pipelinesAsCode: asCode(platforms.kubernetes?.pipelinesAsCode, addon) },
  };
}

function openShiftPlatform({ platforms, addon }: Filled): NonNullable<TektonConfigSpec['platforms']> {
  const { pipelinesAsCode: moved, ...kubernetes } = platforms.kubernetes ?? {};
  const given = platforms.openshift ?? {};
  return {
    kubernetes,
    openshift: {
      ...given,
      pipelinesAsCode: asCode(given.pipelinesAsCode ?? moved, addon),
      enableCentralTLSConfig: given.enableCentralTLSConfig ?? true,
      scc: { ...given.scc, default: given.scc?.default || 'pipelines-scc' },
    },
  };
}

/** The deprecated switch of the addons counts only for who does not have the new block. */
function asCode(
  block: PipelinesAsCodeSettings | undefined,
  { enablePipelinesAsCode }: Filled['addon'],
): PipelinesAsCodeSettings {
  if (!block && enablePipelinesAsCode === false) return { enable: false };
  const filled = block ?? { enable: true };
  // Upstream falls over when there is a block without `enable`; here it means yes, as it does without the block.
  const enable = filled.enable ?? true;
  return enable ? defaultPipelinesAsCode({ ...filled, enable }) : { ...filled, enable };
}

function defaultPruner(pruner: PrunerSettings): PrunerSettings {
  if (pruner.disabled) return pruner;
  const keeps = pruner.keep !== undefined || pruner['keep-since'] !== undefined;
  return {
    ...pruner,
    ...(keeps ? {} : { keep: 100 }),
    resources: (pruner.resources?.length ? pruner.resources : ['pipelinerun']).map((name) => name.trim().toLowerCase()),
  };
}
