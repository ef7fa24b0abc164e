import type { System } from '@tektite/controller';
import {
  objectPayload,
  type TektonOperatorOptions,
  tektonOperatorSystem,
  type TknProgram,
} from '@tektite/tekton-operator';
import { chainsRelease } from '../release/chains-release.ts';
import { dashboardRelease } from '../release/dashboard-release.ts';
import { ownProgram } from '../release/own-program.ts';
import { pipelinesRelease } from '../release/pipelines-release.ts';
import { proxyWebhookObjects } from '../release/proxy-webhook-release.ts';
import { prunerRelease } from '../release/pruner-release.ts';
import { resultsRelease } from '../release/results-release.ts';
import { triggersRelease } from '../release/triggers-release.ts';
import { version } from '../version.ts';

/** This program does what pruning Jobs ask of tkn. */
function ownTkn(): TknProgram {
  const { image, command, folders } = ownProgram();
  return { image, program: [...command, 'tkn'].join(' '), folders };
}

const ownReleases = [pipelinesRelease, triggersRelease, chainsRelease, resultsRelease, dashboardRelease, prunerRelease];

const { env: environment } = process;
/** Without a proxy the webhook would have nothing to give but the certificates of OpenShift. */
const needsProxyWebhook =
  ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].some((name) => environment[name]) || environment.PLATFORM === 'openshift';
const extras = needsProxyWebhook ? { webhook: () => proxyWebhookObjects(ownProgram()) } : {};

/** The options used here. Without a configured payload, the components of this program are installed. */
export const operatorOptions: TektonOperatorOptions = {
  version: environment.VERSION || `v${version}`,
  tkn: ownTkn(),
  payloads: [
    objectPayload(
      ownReleases.map((release) => release(ownProgram)),
      extras,
    ),
  ],
};

/** The Tekton Operator. */
export const tektonOperator: System = tektonOperatorSystem(operatorOptions);
