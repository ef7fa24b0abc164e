import { parseFirstYaml } from '@tektite/schema/yaml';
import type { UserInfo } from '../../request/api-request.ts';
import { type ClaimExpression, claimExpression, textsOf } from './claim-expression.ts';

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/** An issuer of tokens whose users are believed. */
export interface JwtIssuer {
  readonly url: string;
  readonly discoveryUrl: string;
  readonly audiences: readonly string[];
  /** PEM of the authorities of its certificate. Default: those that the machine trusts. */
  readonly certificateAuthority?: string;
  /** The user of a token. Throws an Error when a rule denies the token. */
  userOf(claims: Claims): UserInfo;
}

const apiVersion = 'apiserver.config.k8s.io/v1';
type Reader = (claims: Claims) => unknown;
type Check = (claims: Claims) => void;

/**
 * Reads an AuthenticationConfiguration, the file of `--authentication-config`: issuers of JWTs, with claim mappings and rules
 * by claim or by CEL expression. Throws an Error that names the wrong field.
 */
export function readAuthenticationConfiguration(text: string): readonly JwtIssuer[] {
  const root = object(parseFirstYaml(text)?.value, 'the file');
  if (root['apiVersion'] !== apiVersion || root['kind'] !== 'AuthenticationConfiguration')
    throw new Error(`expected apiVersion ${apiVersion} and kind AuthenticationConfiguration`);
  if (root['anonymous'] !== undefined) throw new Error('anonymous is not supported');
  const issuers = list(root['jwt'], 'jwt').map((each, index) =>
    readIssuer(object(each, `jwt[${index}]`), `jwt[${index}]`),
  );
  const urls = issuers.map(({ url }) => url);
  const twice = urls.find((url, index) => urls.indexOf(url) !== index);
  if (twice !== undefined) throw new Error(`jwt: the issuer ${twice} is there twice`);
  return issuers;
}

function readIssuer(entry: Claims, path: string): JwtIssuer {
  const issuer = object(entry['issuer'], `${path}.issuer`);
  const url = text(issuer['url'], `${path}.issuer.url`);
  if (!url.startsWith('https://')) throw new Error(`${path}.issuer.url has to start with https://`);
  const audiences = list(issuer['audiences'], `${path}.issuer.audiences`).map((each) => text(each, path));
  if (audiences.length === 0) throw new Error(`${path}.issuer.audiences is empty`);
  const authority = issuer['certificateAuthority'];
  const checks = list(entry['claimValidationRules'] ?? [], `${path}.claimValidationRules`).map((rule, index) =>
    readClaimRule(object(rule, path), `${path}.claimValidationRules[${index}]`),
  );
  const userChecks = list(entry['userValidationRules'] ?? [], `${path}.userValidationRules`).map((rule, index) =>
    readUserRule(object(rule, path), `${path}.userValidationRules[${index}]`),
  );
  const map = readMappings(object(entry['claimMappings'], `${path}.claimMappings`), `${path}.claimMappings`);
  return {
    url,
    discoveryUrl:
      issuer['discoveryURL'] === undefined
        ? `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
        : text(issuer['discoveryURL'], `${path}.issuer.discoveryURL`),
    audiences,
    ...(authority === undefined
      ? {}
      : { certificateAuthority: text(authority, `${path}.issuer.certificateAuthority`) }),
    userOf(claims) {
      for (const check of checks) check(claims);
      const user = map(claims);
      for (const check of userChecks) check({ username: user.name, groups: user.groups, extra: user.extra ?? {} });
      return user;
    },
  };
}

function readClaimRule(rule: Claims, path: string): Check {
  if (rule['expression'] !== undefined) return holds(expression('claims', rule['expression'], path), rule, path);
  const claim = text(rule['claim'], `${path}.claim`);
  const wanted = rule['requiredValue'] ?? '';
  return (claims) => {
    if (claims[claim] !== wanted) throw new Error(`the claim ${claim} is not ${JSON.stringify(wanted)}`);
  };
}

function readUserRule(rule: Claims, path: string): Check {
  return holds(expression('user', rule['expression'], path), rule, path);
}

function holds(condition: ClaimExpression, rule: Claims, path: string): Check {
  const message = rule['message'] === undefined ? `${path} does not hold` : text(rule['message'], `${path}.message`);
  return (about) => {
    if (condition.evaluate(about) !== true) throw new Error(message);
  };
}

function readMappings(mappings: Claims, path: string): (claims: Claims) => UserInfo {
  const username = readMapping(mappings['username'], `${path}.username`);
  if (!username) throw new Error(`${path}.username is missing`);
  const groups = readMapping(mappings['groups'], `${path}.groups`);
  const uid = readMapping(mappings['uid'], `${path}.uid`, false);
  const extra = list(mappings['extra'] ?? [], `${path}.extra`).map((each, index) => {
    const at = `${path}.extra[${index}]`;
    const { key, valueExpression } = object(each, at);
    return { key: text(key, `${at}.key`), value: expression('claims', valueExpression, `${at}.valueExpression`) };
  });
  return (claims) => {
    const [name] = textsOf(username(claims));
    if (name === undefined) throw new Error('the token names no user');
    const [id] = uid ? textsOf(uid(claims)) : [];
    const values = extra
      .map(({ key, value }) => [key, textsOf(value.evaluate(claims))] as const)
      .filter(([, each]) => each.length > 0);
    return {
      name,
      groups: groups ? textsOf(groups(claims)) : [],
      ...(id === undefined ? {} : { uid: id }),
      ...(values.length > 0 ? { extra: Object.fromEntries(values) } : {}),
    };
  };
}

/** A claim with a prefix, or an expression. `email` counts only when the issuer has verified it. */
function readMapping(value: unknown, path: string, hasPrefix = true): Reader | undefined {
  if (value === undefined) return undefined;
  const mapping = object(value, path);
  if (mapping['expression'] !== undefined) {
    const program = expression('claims', mapping['expression'], path);
    return (claims) => program.evaluate(claims);
  }
  const claim = text(mapping['claim'], `${path}.claim`);
  if (hasPrefix && mapping['prefix'] === undefined) throw new Error(`${path}.prefix is missing; it may be empty`);
  const prefix = hasPrefix ? text(mapping['prefix'], `${path}.prefix`) : '';
  return (claims) => {
    if (claim === 'email' && claims['email_verified'] === false) throw new Error('the email is not verified');
    return textsOf(claims[claim]).map((each) => `${prefix}${each}`);
  };
}

function expression(variable: 'claims' | 'user', value: unknown, path: string): ClaimExpression {
  try {
    return claimExpression(variable, text(value, `${path}.expression`));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function object(value: unknown, path: string): Claims {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${path} is no object`);
  return value as Claims;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${path} is no list`);
  return value;
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new Error(`${path} is no text`);
  return value;
}
