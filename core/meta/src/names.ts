/**
 * Validation of names. Each function returns the violations in the words of Kubernetes; an empty list means that the
 * name is valid.
 */

const dns1123Label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123LabelWithUnderscore = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const dns1123Subdomain = `${dns1123Label}(\\.${dns1123Label})*`;
const dns1123SubdomainWithUnderscore = `${dns1123LabelWithUnderscore}(\\.${dns1123LabelWithUnderscore})*`;
const wildcardDns1123Subdomain = `\\*\\.${dns1123Subdomain}`;
const dns1035Label = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelKeyName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${labelKeyName})?`;
const cIdentifier = '[A-Za-z_][A-Za-z0-9_]*';
const configMapKey = '[-._a-zA-Z0-9]+';
const envVarName = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const percent = '[0-9]+%';
const httpHeaderName = '[-A-Za-z0-9]+';

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const dns1123LabelRegExp = whole(dns1123Label);
const dns1123SubdomainRegExp = whole(dns1123Subdomain);
const dns1123SubdomainWithUnderscoreRegExp = whole(dns1123SubdomainWithUnderscore);
const wildcardDns1123SubdomainRegExp = whole(wildcardDns1123Subdomain);
const dns1035LabelRegExp = whole(dns1035Label);
const labelKeyNameRegExp = whole(labelKeyName);
const labelValueRegExp = whole(labelValue);
const cIdentifierRegExp = whole(cIdentifier);
const configMapKeyRegExp = whole(configMapKey);
const envVarNameRegExp = whole(envVarName);
const percentRegExp = whole(percent);
const httpHeaderNameRegExp = whole(httpHeaderName);

/** Length in UTF-8 bytes: what Kubernetes counts when it limits the length of a name. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    // Half of a surrogate pair: two units make four bytes.
    else if (code >= 0xd800 && code < 0xe000) length += 1;
    else length += 2;
  }
  return length;
}

/** The words for a string that does not match a pattern. */
export function regexError(message: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** Upstream says "characters" here and "bytes" for labels; it counts bytes in both. */
export const maxLengthError = (length: number): string => `must be no more than ${length} characters`;
const maxBytesError = (length: number): string => `must be no more than ${length} bytes`;
export const inclusiveRangeError = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`;
const emptyError = 'must be non-empty';

function limited(value: string, maxLength: number, violation = maxLengthError): string[] {
  // A unit of UTF-16 takes at most three bytes, so most names need not be measured.
  const isLonger = value.length * 3 > maxLength && utf8Length(value) > maxLength;
  return isLonger ? [violation(maxLength)] : [];
}

const dns1123LabelWords =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const dns1123SubdomainWords =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

export function validateDns1123Label(value: string): string[] {
  const violations = limited(value, 63);
  if (dns1123LabelRegExp.test(value)) return violations;
  if (dns1123SubdomainRegExp.test(value)) violations.push('must not contain dots');
  else violations.push(regexError(dns1123LabelWords, dns1123Label, 'my-name', '123-abc'));
  return violations;
}

function dns1123SubdomainViolations(value: string, tooLong: (length: number) => string): string[] {
  const violations = limited(value, 253, tooLong);
  if (!dns1123SubdomainRegExp.test(value))
    violations.push(regexError(dns1123SubdomainWords, dns1123Subdomain, 'example.com'));
  return violations;
}

export function validateDns1123Subdomain(value: string): string[] {
  return dns1123SubdomainViolations(value, maxLengthError);
}

/** Like {@link validateDns1123Subdomain}, with underscores: the names of SRV records. */
export function validateDns1123SubdomainWithUnderscore(value: string): string[] {
  const violations = limited(value, 253);
  if (!dns1123SubdomainWithUnderscoreRegExp.test(value))
    violations.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        dns1123SubdomainWithUnderscore,
        'example.com',
      ),
    );
  return violations;
}

export function validateWildcardDns1123Subdomain(value: string): string[] {
  const violations = limited(value, 253);
  if (!wildcardDns1123SubdomainRegExp.test(value))
    violations.push(
      regexError(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        wildcardDns1123Subdomain,
        '*.example.com',
      ),
    );
  return violations;
}

export function validateDns1035Label(value: string): string[] {
  const violations = limited(value, 63);
  if (!dns1035LabelRegExp.test(value))
    violations.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035Label,
        'my-name',
        'abc-123',
      ),
    );
  return violations;
}

const labelKeyWords =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** The key of a label, an annotation, a finalizer: a name, with or without a DNS prefix and a slash. */
export function validateQualifiedName(value: string): string[] {
  const slash = value.indexOf('/');
  if (slash !== value.lastIndexOf('/')) {
    const words = regexError(labelKeyWords, labelKeyName, 'MyName', 'my.name', '123-abc');
    return [`a valid label key ${words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const violations: string[] = [];
  if (slash === 0) violations.push(`prefix part ${emptyError}`);
  else if (slash > 0)
    for (const violation of dns1123SubdomainViolations(value.slice(0, slash), maxBytesError))
      violations.push(`prefix part ${violation}`);
  const name = value.slice(slash + 1);
  if (name === '') violations.push(`name part ${emptyError}`);
  else for (const violation of limited(name, 63, maxBytesError)) violations.push(`name part ${violation}`);
  if (!labelKeyNameRegExp.test(name))
    violations.push(`name part ${regexError(labelKeyWords, labelKeyName, 'MyName', 'my.name', '123-abc')}`);
  return violations;
}

export function validateLabelValue(value: string): string[] {
  const violations = limited(value, 63, maxBytesError);
  if (!labelValueRegExp.test(value))
    violations.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValue,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  return violations;
}

export function validateCIdentifier(value: string): string[] {
  if (cIdentifierRegExp.test(value)) return [];
  const words =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [regexError(words, cIdentifier, 'my_name', 'MY_NAME', 'MyName')];
}

function directoryViolations(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** A key of a ConfigMap or a Secret; it may become a file name. */
export function validateConfigMapKey(value: string): string[] {
  const violations = limited(value, 253);
  if (!configMapKeyRegExp.test(value))
    violations.push(
      regexError(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configMapKey,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  return [...violations, ...directoryViolations(value)];
}

export function validateEnvVarName(value: string): string[] {
  const violations: string[] = [];
  if (!envVarNameRegExp.test(value))
    violations.push(
      regexError(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
        envVarName,
        'my.env-name',
        'MY_ENV.NAME',
        'MyEnvName1',
      ),
    );
  return [...violations, ...directoryViolations(value)];
}

/** Names of environment variables since Kubernetes 1.34: any printable ASCII but `=`. */
export function validateRelaxedEnvVarName(value: string): string[] {
  if (value === '') return [`environment variable name ${emptyError}`];
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A name that can stand between two slashes of a URL. */
export function validatePathSegmentName(value: string): string[] {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : validatePathSegmentPrefix(value);
}

export function validatePathSegmentPrefix(value: string): string[] {
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** The name of a port (RFC 6335). */
export function validatePortName(value: string): string[] {
  const violations = limited(value, 15);
  if (!/^[-a-z0-9]+$/.test(value))
    violations.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) violations.push('must contain at least one letter (a-z)');
  if (value.includes('--')) violations.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) violations.push('must not begin or end with a hyphen');
  return violations;
}

export function validatePortNumber(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : [inclusiveRangeError(1, 65535)];
}

/** A user or group id of Unix. */
export function validateUserId(value: number): string[] {
  return value >= 0 && value <= 2147483647 ? [] : [inclusiveRangeError(0, 2147483647)];
}

export function validatePercent(value: string): string[] {
  if (percentRegExp.test(value)) return [];
  const words = "a valid percent string must be a numeric string followed by an ending '%'";
  return [regexError(words, percent, '1%', '93%')];
}

export function validateHttpHeaderName(value: string): string[] {
  if (httpHeaderNameRegExp.test(value)) return [];
  const words = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [regexError(words, httpHeaderName, 'X-Header-Name')];
}
