import {
  type FieldErrors,
  invalidValue,
  missingField,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { canonicalHeader } from '../http/canonical-header.ts';
import type { HeaderParam } from '../kinds/header-param.ts';
import type { ClusterInterceptorObject } from '../kinds/interceptor.ts';
import type { TriggerInterceptor, WebhookInterceptor } from '../kinds/trigger.ts';
import type { DeprecatedInterceptor } from './deprecated-interceptor.ts';

/** An Interceptor or ClusterInterceptor. */
export function validateInterceptorObject({ spec }: ClusterInterceptorObject): FieldErrors {
  const { url, service } = spec.clientConfig;
  const at = 'spec.clientConfig';
  return noFieldErrors
    .also(url !== undefined && service ? multipleOneOf(`${at}.url`, `${at}.service`) : undefined)
    .also(service?.namespace === '' ? missingField(`${at}.service.namespace`) : undefined)
    .also(service?.name === '' ? missingField(`${at}.service.name`) : undefined);
}

/** An interceptor of a trigger, in v1beta1. */
export function validateInterceptor({ ref, webhook }: TriggerInterceptor): FieldErrors {
  if (!webhook) return (ref.name ?? '') === '' ? missingField('interceptor') : noFieldErrors;
  return validateReference(webhook).also(validateHeaders(webhook.header));
}

function validateReference({ objectRef }: WebhookInterceptor): FieldErrors {
  const at = 'interceptor.webhook.objectRef';
  if (!objectRef) return missingField(at);
  const { kind = '', apiVersion = '' } = objectRef;
  return noFieldErrors
    .also(kind === '' ? missingField(`${at}.kind`) : undefined)
    .also(kind !== '' && kind !== 'Service' ? invalidValue('invalid kind', `${at}.kind`) : undefined)
    .also(apiVersion === '' ? missingField(`${at}.apiVersion`) : undefined)
    .also(
      apiVersion !== '' && apiVersion !== 'v1' ? invalidValue('invalid apiVersion', `${at}.apiVersion`) : undefined,
    );
}

/** An interceptor of a trigger, in v1alpha1, whose own forms of the built-in ones are deprecated. */
export function validateLegacyInterceptor(interceptor: TriggerInterceptor & DeprecatedInterceptor): FieldErrors {
  const { ref, webhook, github, gitlab, bitbucket, cel } = interceptor;
  const isNamed = (ref.name ?? '') !== '';
  const hasForm = webhook ?? github ?? gitlab ?? cel ?? bitbucket;
  const forms = [webhook, github, gitlab, bitbucket].filter((form) => form !== undefined);
  return noFieldErrors
    .also(!hasForm && !isNamed ? missingField('interceptor') : undefined)
    .also(
      forms.length > 1 ? multipleOneOf('interceptor.webhook', 'interceptor.github', 'interceptor.gitlab') : undefined,
    )
    .also(webhook ? validateLegacyReference(webhook).also(validateHeaders(webhook.header)) : undefined)
    .also(cel ? validateLegacyCel(cel) : undefined);
}

function validateLegacyReference({ objectRef }: WebhookInterceptor): FieldErrors {
  const at = 'interceptor.webhook.objectRef';
  return noFieldErrors
    .also((objectRef?.name ?? '') === '' ? missingField(at) : undefined)
    .also(objectRef?.kind === 'Service' ? undefined : invalidValue('invalid kind', `${at}.kind`))
    .also(objectRef?.apiVersion === 'v1' ? undefined : invalidValue('invalid apiVersion', `${at}.apiVersion`));
}

/** Defaults have replaced this form already, unless a reference is given as well. */
function validateLegacyCel({ filter = '', overlays = [] }: NonNullable<DeprecatedInterceptor['cel']>): FieldErrors {
  return filter === '' && overlays.length === 0 ? multipleOneOf('cel.filter', 'cel.overlays') : noFieldErrors;
}

function validateHeaders(headers: readonly HeaderParam[] = []): FieldErrors {
  return noFieldErrors.also(
    ...headers.flatMap(({ name, value }, index) => {
      const at = `interceptor.webhook.header[${index}]`;
      const isEmpty = typeof value === 'string' ? value === '' : !Array.isArray(value) || value.length === 0;
      return [
        name === '' || canonicalHeader(name) !== name ? invalidValue('invalid header name', `${at}.name`) : undefined,
        isEmpty ? invalidValue('invalid header value', `${at}.value`) : undefined,
      ];
    }),
  );
}
