import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validateDns1035Label,
  validateDns1123Subdomain,
  type Mutable,
  notSupported,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import { checkWebhookService, checkWebhookUrl } from '@tektite/schema';
import type {
  AdmissionregistrationV1WebhookClientConfig,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@tektite/schema/kubernetes';
import type { KindStrategy, TableColumn } from '../../kind-strategy.ts';
import { checkSupported, checkText } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { mutatingWebhookConfigurationColumns, validatingWebhookConfigurationColumns } from './columns.ts';
import { validateMatchConditions } from './expressions.ts';
import { defaultRules, failurePolicies, matchPolicies, staticNameWarnings, validateRule } from './rules.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const harmless = ['None', 'NoneOnDryRun'];
const reviewVersions = ['v1', 'v1beta1'];

const webhooksOf = ({ webhooks }: Configuration): readonly Webhook[] => webhooks ?? [];

function defaultWebhooks(configuration: Mutable<Configuration>, mutating: boolean): void {
  for (const webhook of (configuration.webhooks ?? []) as Mutable<Webhook>[]) {
    webhook.failurePolicy ??= 'Fail';
    webhook.matchPolicy ??= 'Equivalent';
    webhook.namespaceSelector ??= {};
    webhook.objectSelector ??= {};
    webhook.timeoutSeconds ??= 10;
    if (mutating) webhook.reinvocationPolicy ??= 'Never';
    if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
    defaultRules(webhook.rules);
  }
}

function validateConfiguration(configuration: Configuration, old?: Configuration): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const conditions = (from: Configuration) => webhooksOf(from).map(({ matchConditions }) => matchConditions);
  const sameConditions = old !== undefined && equalJson(conditions(configuration), conditions(old));
  for (const [i, webhook] of webhooksOf(configuration).entries()) {
    const path = FieldPath.of('webhooks').index(i);
    const { name = '' } = webhook;
    validateWebhook(webhook, path, errors);
    if (!sameConditions) validateMatchConditions(webhook.matchConditions, false, path.child('matchConditions'), errors);
    validateReviewVersions(webhook.admissionReviewVersions ?? [], path.child('admissionReviewVersions'), errors);
    if (name !== '' && names.has(name)) errors.push(duplicate(path.child('name'), name));
    names.add(name);
  }
  return errors;
}

function validateWebhook(webhook: Webhook, path: FieldPath, errors: FieldError[]): void {
  const { failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = webhook;
  validateWebhookName(webhook.name ?? '', path.child('name'), errors);
  for (const [i, rule] of (webhook.rules ?? []).entries()) validateRule(rule, path.child('rules').index(i), errors);
  if (failurePolicy !== undefined) checkSupported(failurePolicy, failurePolicies, path.child('failurePolicy'), errors);
  if (matchPolicy !== undefined) checkSupported(matchPolicy, matchPolicies, path.child('matchPolicy'), errors);
  if (sideEffects === undefined || sideEffects === null)
    errors.push(required(path.child('sideEffects'), `must specify one of ${harmless.join(', ')}`));
  else if (!harmless.includes(sideEffects)) errors.push(notSupported(path.child('sideEffects'), sideEffects, harmless));
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30))
    errors.push(
      invalid(path.child('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    );
  for (const field of ['namespaceSelector', 'objectSelector'] as const)
    errors.push(...validateLabelSelector(webhook[field], path.child(field)));
  if (reinvocationPolicy !== undefined)
    checkSupported(reinvocationPolicy, ['IfNeeded', 'Never'], path.child('reinvocationPolicy'), errors);
  errors.push(...checkClient(webhook.clientConfig ?? {}, path.child('clientConfig')));
}

function checkClient({ url, service }: AdmissionregistrationV1WebhookClientConfig, path: FieldPath): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  if (url !== undefined) return checkWebhookUrl(url, path.child('url'));
  return service ? checkWebhookService(service, path.child('service')) : [];
}

/** A domain of at least three parts. */
function validateWebhookName(name: string, path: FieldPath, errors: FieldError[]): void {
  const violations = validateDns1123Subdomain(name);
  if (name === '') errors.push(required(path));
  else if (violations.length > 0) errors.push(invalid(path, name, violations.join(',')));
  else if (name.split('.').length < 3)
    errors.push(invalid(path, name, 'should be a domain with at least three segments separated by dots'));
}

function validateReviewVersions(versions: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (versions.length === 0) {
    errors.push(required(path, `must specify one of ${reviewVersions.join(', ')}`));
    return;
  }
  for (const [i, version] of versions.entries())
    if (versions.indexOf(version) !== i) errors.push(invalid(path.index(i), version, 'duplicate version'));
    else checkText(version, validateDns1035Label, path.index(i), errors);
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
}

function configurationStrategy<T extends Configuration>(
  mutating: boolean,
  columns: readonly TableColumn[],
): KindStrategy<T> {
  return {
    metadataRules: { onUpdate: 'create', finalizers: 'any' },
    default: (configuration) => defaultWebhooks(configuration as Mutable<Configuration>, mutating),
    validateCreate: (configuration) => validateConfiguration(configuration),
    validateUpdate: (configuration, old) => validateConfiguration(configuration, old),
    warnings: staticNameWarnings,
    table: {
      columns,
      row: (configuration, context) => [
        nameOf(configuration),
        webhooksOf(configuration).length,
        ageOf(configuration, context),
      ],
    },
    generationChanged: (configuration, old) => !equalJson(configuration.webhooks, old.webhooks),
    allowUnconditionalUpdate: false,
  };
}

export const mutatingWebhookConfigurationStrategy = configurationStrategy<MutatingWebhookConfiguration>(
  true,
  mutatingWebhookConfigurationColumns,
);
export const validatingWebhookConfigurationStrategy = configurationStrategy<ValidatingWebhookConfiguration>(
  false,
  validatingWebhookConfigurationColumns,
);
