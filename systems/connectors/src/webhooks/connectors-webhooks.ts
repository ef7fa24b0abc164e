import {
  type AdmissionWebhook,
  defaulting,
  defaultingWebhook,
  validating,
  validatingWebhook,
} from '@tektite/controller/webhook';
import { Connector } from '../kinds/connector.ts';
import { InstallManifest } from '../kinds/install-manifest.ts';
import type { PayloadSource } from '../payload/payload.ts';
import { withComponent } from '../rules/default-connector.ts';
import { validateConnector } from '../rules/validate-connector.ts';
import { type OperatorUsers, validateInstallManifest } from '../rules/validate-install-manifest.ts';

export interface WebhookSettings {
  readonly payloads: PayloadSource;
  readonly operatorUsers: () => OperatorUsers;
}

export function connectorsWebhooks({ payloads, operatorUsers }: WebhookSettings): readonly AdmissionWebhook[] {
  return [
    defaultingWebhook({
      name: 'defaulting.operator.connectors.alauda.io',
      rules: [defaulting(Connector, withComponent)],
    }),
    validatingWebhook({
      name: 'validation.operator.connectors.alauda.io',
      rules: [
        validating(Connector, async (connector, { old }) => {
          // Who only takes a finalizer away may do so, whatever the rest says.
          if (connector.metadata.deletionTimestamp) return undefined;
          return validateConnector(connector, old, await payloads.components());
        }),
        validating(InstallManifest, (manifest, { old, userInfo }) =>
          validateInstallManifest(manifest, old, userInfo.username ?? '', operatorUsers()),
        ),
      ],
    }),
  ];
}
