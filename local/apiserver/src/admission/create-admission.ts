import type { Clock, Random } from '@tektite/meta';
import type { Authorizer } from '../auth/authorizer.ts';
import type { ResourceTable } from '../registry/resource-table.ts';
import type { Storage } from '../storage/storage.ts';
import { AdmissionChain, type AdmissionPlugin } from './admission.ts';
import { EquivalentResources } from './matching/equivalent-resources.ts';
import { RequestMatcher } from './matching/request-matcher.ts';
import { builtinPlugins } from './plugins/index.ts';
import { QuotaAdmission, type WriteUsage } from './plugins/resource-quota/resource-quota.ts';
import { MutatingPolicies } from './policy/mutating-policies.ts';
import { ValidatingPolicies } from './policy/validating-policies.ts';
import type { Dial } from './webhook/dial.ts';
import type { LocalWebhooks } from './webhook/local-webhooks.ts';
import { mutatingWebhooks } from './webhook/mutating-webhooks.ts';
import { validatingWebhooks } from './webhook/validating-webhooks.ts';
import { WebhookCaller } from './webhook/webhook-caller.ts';
import { WebhookClients } from './webhook/webhook-clients.ts';
import { WebhookConfigurations } from './webhook/webhook-configurations.ts';

export interface AdmissionParts {
  readonly storage: Storage;
  readonly resources: ResourceTable;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
  /** How webhooks are reached. Default: from this machine. */
  readonly dial?: Dial | undefined;
  /** Keeps the books of quotas. */
  readonly writeUsage: WriteUsage;
  /** Webhooks that live in this process. */
  readonly localWebhooks: LocalWebhooks;
  /** Plugins of the server itself, which run before webhooks. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** Plugins that check what all mutations came to, before the object is validated. */
  readonly checks?: readonly AdmissionPlugin[];
  /** Names of built-in plugins to leave out. */
  readonly disabled?: readonly string[];
}

/** Everything that reviews writes. */
export interface Admission {
  readonly chain: AdmissionChain;
  /** The connections to webhooks; those of conversion webhooks are kept here too. */
  readonly clients: WebhookClients;
  close(): Promise<void>;
}

/** Puts the chain together in upstream's order: built-in plugins, webhooks and policies, and quotas at the very end. */
export function createAdmission(parts: AdmissionParts): Admission {
  const { storage, clock, random, authorizer } = parts;
  const clients = new WebhookClients({ storage, clock, random, local: parts.localWebhooks, dial: parts.dial });
  const mutating = new WebhookConfigurations('mutatingwebhookconfigurations', storage, clients);
  const validating = new WebhookConfigurations('validatingwebhookconfigurations', storage, clients);
  const matcher = new RequestMatcher(storage, new EquivalentResources(parts.resources));
  const caller = new WebhookCaller({ matcher, authorizer, random });
  const disabled = new Set(parts.disabled);
  const mutatingPolicies = new MutatingPolicies({ ...parts, matcher });
  const validatingPolicies = new ValidatingPolicies({ ...parts, matcher });
  const quotas = new QuotaAdmission(storage, parts.writeUsage);
  const plugins: AdmissionPlugin[] = [
    ...builtinPlugins(parts),
    ...(parts.plugins ?? []),
    mutatingPolicies,
    mutatingWebhooks(mutating, caller),
    ...(parts.checks ?? []),
    validatingPolicies,
    validatingWebhooks(validating, caller),
    quotas,
  ];
  return {
    chain: new AdmissionChain(plugins.filter(({ name }) => !disabled.has(name))),
    clients,
    async close() {
      mutating[Symbol.dispose]();
      validating[Symbol.dispose]();
      mutatingPolicies[Symbol.dispose]();
      validatingPolicies[Symbol.dispose]();
      quotas[Symbol.dispose]();
      await clients.close();
    },
  };
}
