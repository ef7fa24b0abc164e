import {
  type FieldError,
  type FieldPath,
  invalid,
  validateDns1123SubdomainWithUnderscore,
  notSupported,
  required,
  utf8Length,
} from '@tektite/meta';
import type { HostAlias, PodSpec } from '@tektite/schema/kubernetes';
import { checkDnsSubdomain, checkText } from '../../field-checks.ts';
import { validateIp } from '../../network/validate-ip.ts';

const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function validateDnsPolicy(policy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!policy) errors.push(required(path));
  else if (!policies.includes(policy)) errors.push(notSupported(path, policy, policies));
}

export function validateDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const nameservers = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === 'None') {
    if (!dnsConfig) {
      errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
      return;
    }
    if (nameservers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      errors.push(required(path.child('nameservers'), detail));
      return;
    }
  }
  if (!dnsConfig) return;
  if (nameservers.length > 3)
    errors.push(invalid(path.child('nameservers'), nameservers, 'must not have more than 3 nameservers'));
  for (const [i, server] of nameservers.entries()) validateIp(server, path.child('nameservers').index(i), errors);
  validateSearches(dnsConfig.searches ?? [], path.child('searches'), errors);
  for (const [i, option] of (dnsConfig.options ?? []).entries())
    if (!option.name) errors.push(required(path.child('options').index(i), 'must not be empty'));
}

function validateSearches(searches: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (searches.length > 32) errors.push(invalid(path, searches, 'must not have more than 32 search paths'));
  if (utf8Length(searches.join(' ')) > 2048) {
    const detail = 'must not have more than 2048 characters (including spaces) in the search list';
    errors.push(invalid(path, searches, detail));
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    checkText(name, validateDns1123SubdomainWithUnderscore, path.index(i), errors);
  }
}

export function validateHostAliases(aliases: readonly HostAlias[], path: FieldPath, errors: FieldError[]): void {
  for (const [i, { ip = '', hostnames = [] }] of aliases.entries()) {
    validateIp(ip, path.index(i).child('ip'), errors);
    for (const [j, hostname] of hostnames.entries())
      checkDnsSubdomain(hostname, path.index(i).child('hostnames').index(j), errors);
  }
}
