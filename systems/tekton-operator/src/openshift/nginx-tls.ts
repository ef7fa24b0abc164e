import type { TlsProfile } from './tls-profile.ts';

const protocols: Readonly<Record<string, string>> = {
  VersionTLS10: 'TLSv1 TLSv1.1 TLSv1.2 TLSv1.3',
  VersionTLS11: 'TLSv1.1 TLSv1.2 TLSv1.3',
  VersionTLS12: 'TLSv1.2 TLSv1.3',
  VersionTLS13: 'TLSv1.3',
};
const standardProtocols = 'TLSv1.2 TLSv1.3';
/** Suites that every provider of OpenSSL has: one that it does not know would switch TLS 1.3 off. */
const isEverywhere = (suite: string) => suite.startsWith('TLS_AES_');
const standardSuites = 'TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256';
const groups = { usual: 'X25519MLKEM768:X25519:P-256:P-384:P-521', fips: 'P-256:P-384:P-521' };

/**
 * The configuration of nginx with the TLS profile in its server. Without a profile it has the protocols and suites of OpenShift's
 * standard. Programs that are restricted to FIPS 140 refuse other groups than those of NIST.
 */
export function nginxWithTls(configuration: string, profile: TlsProfile | undefined, isFips: boolean): string {
  const { minVersion = '', ciphers = [], opensslCiphers = [] } = profile ?? {};
  const suites = ciphers.filter(isEverywhere).join(':') || standardSuites;
  const directives = [
    `ssl_protocols ${Object.hasOwn(protocols, minVersion) ? protocols[minVersion] : standardProtocols}`,
    ...(opensslCiphers.length > 0 ? [`ssl_ciphers ${opensslCiphers.join(':')}`, 'ssl_prefer_server_ciphers on'] : []),
    `ssl_conf_command Ciphersuites ${suites}`,
    `ssl_ecdh_curve ${isFips ? groups.fips : groups.usual}`,
  ].map((directive) => `    ${directive};`);
  return configuration
    .split('\n')
    .flatMap((line) => (line.includes('server {') ? [line, ...directives] : [line]))
    .join('\n');
}
