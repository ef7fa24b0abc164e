import {
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePathSegmentPrefix,
} from './names.ts';

/** The rule for the names of a kind. `prefix` is true for a generateName, to which five characters will be added. */
export type NameRule = (name: string, prefix: boolean) => string[];

/**
 * A trailing dash is good in a prefix. Upstream replaces the last two characters, not one, by an `a`; the difference
 * shows in names such as `A-`, which pass.
 */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

const withPrefix =
  (check: (name: string) => string[]): NameRule =>
  (name, prefix) =>
    check(prefix ? maskTrailingDash(name) : name);

/** Most kinds: Pods, ConfigMaps, custom resources. */
export const nameIsDnsSubdomain: NameRule = withPrefix(validateDns1123Subdomain);

/** Namespaces. */
export const nameIsDnsLabel: NameRule = withPrefix(validateDns1123Label);

/** Services. */
export const nameIsDns1035Label: NameRule = withPrefix(validateDns1035Label);

/** Roles, bindings and others that allow nearly everything. */
export const nameIsPathSegment: NameRule = (name, prefix) =>
  prefix ? validatePathSegmentPrefix(name) : validatePathSegmentName(name);
