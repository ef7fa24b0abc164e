import type { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { isStatusError, sleep } from '@tektite/meta';
import type { OperatorServices } from '../../extension/operator-services.ts';
import { TektonConfig } from '../../kinds/tekton-config.ts';
import { defaultTektonConfig } from '../../rules/defaults/default-tekton-config.ts';

const retryMs = 10_000;
const giveUpMs = 5 * 60_000;

/** The TektonConfig that the operator creates with auto-install: the profile `all`. */
function firstConfig({ environment, platform }: OperatorServices): object {
  const spec = {
    profile: 'all',
    targetNamespace: environment.DEFAULT_TARGET_NAMESPACE ?? '',
    pruner: { disabled: false, resources: ['pipelinerun'], keep: 100, schedule: '0 8 * * *' },
  };
  return { metadata: { name: 'config' }, spec: defaultTektonConfig(spec, platform) };
}

/** With `AUTOINSTALL_COMPONENTS=true`, has a TektonConfig, and tries for a while if it cannot. That it failed is logged, no more. */
export async function autoInstall(
  client: Client,
  services: OperatorServices,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (services.environment.AUTOINSTALL_COMPONENTS !== 'true') return;
  const end = client.clock.now() + giveUpMs;
  while (!signal.aborted && client.clock.now() < end) {
    if (await isThere(client, services, log)) return;
    await sleep(client.clock, retryMs, signal).catch(() => undefined);
  }
  if (!signal.aborted)
    log.warn('there is no TektonConfig, and none could be made; make one, and Tekton will be installed');
}

async function isThere(client: Client, services: OperatorServices, log: Logger): Promise<boolean> {
  try {
    await client.get(TektonConfig, { name: 'config' });
    return true;
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) {
      log.error('the TektonConfig could not be read', { error: error as Error });
      return false;
    }
  }
  try {
    await client.create(TektonConfig, firstConfig(services) as never);
    return true;
  } catch (error) {
    log.error('the TektonConfig could not be made', { error: error as Error });
    return false;
  }
}
