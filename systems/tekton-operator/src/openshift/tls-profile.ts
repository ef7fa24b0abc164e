import { goStructJson } from '@tektite/go';
import { sha256Hex, type Transform } from '@tektite/manifest';
import { type KubeObject, type Mutable } from '@tektite/meta';
import type { EnvVar } from '@tektite/schema/kubernetes';
import { type DraftContainer, replaceByName, templateIn } from '../transform/workload.ts';

/** How connections of a cluster are protected, with names that Go programs know. */
export interface TlsProfile {
  readonly minVersion: string;
  readonly ciphers: readonly string[];
  /** Those of before TLS 1.3, as OpenSSL calls them. */
  readonly opensslCiphers: readonly string[];
}

interface ProfileSpec {
  readonly minTLSVersion?: string;
  /** Named as OpenSSL does. */
  readonly ciphers?: readonly string[];
}

/** The part of an APIServer of `config.openshift.io` that matters here. */
export interface ApiServerConfig extends KubeObject {
  readonly spec?: {
    readonly tlsSecurityProfile?: { readonly type?: string; readonly custom?: ProfileSpec | null } | null;
  };
}

/** The ciphers of TLS 1.3 have one name everywhere. */
const modern = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const intermediate = [
  ...modern,
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
const old = [
  ...intermediate,
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-RSA-AES128-SHA256',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA256',
  'AES128-SHA',
  'AES256-SHA',
  'DES-CBC3-SHA',
];

const standard = { minTLSVersion: 'VersionTLS12', ciphers: intermediate };
const profiles: Readonly<Record<string, ProfileSpec>> = {
  Old: { minTLSVersion: 'VersionTLS10', ciphers: old },
  Intermediate: standard,
  Modern: { minTLSVersion: 'VersionTLS13', ciphers: modern },
};

/** The profile of a cluster; without any, the one that OpenShift takes. */
export function tlsProfileOf(config: ApiServerConfig | undefined): TlsProfile {
  const { type = 'Intermediate', custom } = config?.spec?.tlsSecurityProfile ?? {};
  const found = (type === 'Custom' ? custom : Object.hasOwn(profiles, type) ? profiles[type] : undefined) ?? standard;
  const names = (found.ciphers ?? []).filter((name) => ianaName(name) !== undefined);
  return {
    minVersion: found.minTLSVersion ?? '',
    ciphers: names.flatMap((name) => ianaName(name) ?? []),
    opensslCiphers: names.filter((name) => !modern.includes(name)),
  };
}

const exchanges = ['ECDHE-ECDSA', 'ECDHE-RSA', 'RSA'];
/** The cipher of an OpenSSL name, and how IANA calls it. SHA-256 with CBC is there for the small keys only, as in Go. */
const ianaCiphers: Readonly<Record<string, string>> = {
  'AES128-GCM-SHA256': 'AES_128_GCM_SHA256',
  'AES256-GCM-SHA384': 'AES_256_GCM_SHA384',
  'CHACHA20-POLY1305': 'CHACHA20_POLY1305_SHA256',
  'AES128-SHA256': 'AES_128_CBC_SHA256',
  'AES128-SHA': 'AES_128_CBC_SHA',
  'AES256-SHA': 'AES_256_CBC_SHA',
  'DES-CBC3-SHA': '3DES_EDE_CBC_SHA',
};
/** Pairs that Go does not have. */
const missing = new Set(['ECDHE-ECDSA-DES-CBC3-SHA', 'CHACHA20-POLY1305']);

/** The name of a cipher in IANA's list; nothing for what Go does not have. */
function ianaName(name: string): string | undefined {
  if (modern.includes(name)) return name;
  if (missing.has(name)) return undefined;
  const exchange = exchanges.find((each) => name.startsWith(`${each}-`)) ?? 'RSA';
  const cipher = name.startsWith(`${exchange}-`) ? name.slice(exchange.length + 1) : name;
  const iana = Object.hasOwn(ianaCiphers, cipher) ? ianaCiphers[cipher] : undefined;
  return iana && `TLS_${exchange.replace('-', '_')}_WITH_${iana}`;
}

/** The hash that upstream writes on components, so that they follow the profile. */
export function profileHash({ minVersion, ciphers }: Pick<TlsProfile, 'minVersion' | 'ciphers'>): string {
  const suites = ciphers.length > 0 ? ciphers : null;
  return sha256Hex(goStructJson({ MinTLSVersion: minVersion, CipherSuites: suites, CurvePreferences: null }));
}

const versions: Readonly<Record<string, string>> = {
  VersionTLS10: '1.0',
  VersionTLS11: '1.1',
  VersionTLS12: '1.2',
  VersionTLS13: '1.3',
};

/** A container of a component that serves TLS, and how its variables begin. */
export interface TlsServer {
  readonly deployment: string;
  readonly container: string;
  readonly prefix: '' | 'WEBHOOK_';
}

/** Gives servers the profile by variables. Throws for a version that there is not. */
export function withTlsProfile(
  profile: Pick<TlsProfile, 'minVersion' | 'ciphers'>,
  servers: readonly TlsServer[],
): Transform {
  const version = Object.hasOwn(versions, profile.minVersion) ? versions[profile.minVersion] : undefined;
  if (version === undefined) throw new Error(`invalid TLS configuration: unknown TLS version: ${profile.minVersion}`);
  return function withTlsProfile(draft) {
    const template = templateIn(draft, 'Deployment');
    for (const { deployment, container: name, prefix } of servers) {
      if (draft.metadata.name !== deployment) continue;
      const variables: EnvVar[] = [
        { name: `${prefix}TLS_MIN_VERSION`, value: version },
        ...(profile.ciphers.length > 0
          ? [{ name: `${prefix}TLS_CIPHER_SUITES`, value: profile.ciphers.join(',') }]
          : []),
      ];
      for (const container of (template?.spec.containers ?? []) as DraftContainer[])
        if (container.name === name) container.env = replaceByName(container.env, variables) as Mutable<EnvVar>[];
    }
  };
}
