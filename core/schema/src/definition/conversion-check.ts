import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePortNumber,
  notSupported,
  required,
} from '@tektite/meta';
import { append } from './append.ts';
import type { CustomResourceConversion, WebhookConversion } from './custom-resource-definition.ts';

const strategies = ['None', 'Webhook'];
const knownReviews = ['v1', 'v1beta1'];

/** Validates the conversion between versions. */
export function checkConversion(
  conversion: CustomResourceConversion | undefined,
  path: FieldPath,
  requireKnownReview: boolean,
): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  const errors: FieldError[] = [];
  if (!strategy) errors.push(required(path.child('strategy')));
  else if (!strategies.includes(strategy)) errors.push(notSupported(path.child('strategy'), strategy, strategies));
  const clientPath = path.child('webhookClientConfig');
  const reviewPath = path.child('conversionReviewVersions');
  const reviews = webhook?.conversionReviewVersions ?? [];
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (webhook?.clientConfig) errors.push(forbidden(clientPath, detail));
    if (reviews.length > 0) errors.push(forbidden(reviewPath, detail));
    return errors;
  }
  if (!webhook?.clientConfig) errors.push(required(clientPath, 'required when strategy is set to Webhook'));
  else append(errors, checkClient(webhook.clientConfig, clientPath));
  return [...errors, ...checkReviews(reviews, reviewPath, requireKnownReview)];
}

function checkClient({ url, service }: NonNullable<WebhookConversion['clientConfig']>, path: FieldPath): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  if (url !== undefined) return checkWebhookUrl(url, path.child('url'));
  return service ? checkWebhookService(service, path.child('service')) : [];
}

/** Validates the URL of a webhook; also for admission. */
export function checkWebhookUrl(text: string, path: FieldPath): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  const [, scheme = '', authority = '', , query = '', fragment = ''] = match ?? [];
  const errors: FieldError[] = [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (scheme.toLowerCase() !== 'https')
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`));
  if (at >= 0) errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

/** Validates the service of a webhook. Upstream mixes up name and namespace here, and so must we. */
export function checkWebhookService(service: WebhookService, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!service.namespace) errors.push(required(path.child('name')));
  if (!service.name) errors.push(required(path.child('namespace')));
  const port = service.port ?? 443;
  const violations = validatePortNumber(port);
  if (violations.length > 0)
    errors.push(invalid(path.child('port'), port, `port is not valid: ${violations.join(', ')}`));
  return [...errors, ...checkServicePath(service.path, path.child('path'))];
}

function checkServicePath(urlPath: string | undefined, path: FieldPath): FieldError[] {
  if (urlPath === undefined || urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalid(path, urlPath, 'segment[0] may not be empty')];
  const errors: FieldError[] = [];
  if (!urlPath.startsWith('/')) errors.push(invalid(path, urlPath, "must start with a '/'"));
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '') errors.push(invalid(path, urlPath, `segment[${index}] may not be empty`));
    else
      for (const violation of validateDns1123Subdomain(segment))
        errors.push(invalid(path, urlPath, `segment[${index}]: ${violation}`));
  }
  return errors;
}

function checkReviews(versions: readonly string[], path: FieldPath, requireKnown: boolean): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalid(path.index(index), version, 'duplicate version'));
    else
      for (const violation of validateDns1035Label(version))
        errors.push(invalid(path.index(index), version, violation));
    seen.add(version);
  }
  if (requireKnown && !knownReviews.some((version) => seen.has(version)))
    errors.push(invalid(path, versions, `must include at least one of ${knownReviews.join(', ')}`));
  return errors;
}

/** Whether a definition names a review version the server knows, or none at all. */
export function hasKnownReview(conversion: CustomResourceConversion | undefined): boolean {
  const versions = conversion?.webhook?.conversionReviewVersions ?? [];
  return versions.length === 0 || versions.some((version) => knownReviews.includes(version));
}
