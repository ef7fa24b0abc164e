import type { DraftObject } from '@tektite/manifest';
import { describe, expect, it } from 'vitest';
import { pluginImage } from './console-plugin.ts';
import { nginxWithTls } from './nginx-tls.ts';
import { type ApiServerConfig, profileHash, tlsProfileOf, withTlsProfile } from './tls-profile.ts';

const config = (tlsSecurityProfile?: object): ApiServerConfig =>
  ({
    apiVersion: 'config.openshift.io/v1',
    kind: 'APIServer',
    metadata: { name: 'cluster' },
    spec: { tlsSecurityProfile },
  }) as ApiServerConfig;

describe('the TLS profile of a cluster', () => {
  it.each([
    ['none', undefined, 'VersionTLS12', 9],
    ['a setting without a profile', config(), 'VersionTLS12', 9],
    ['Old', config({ type: 'Old' }), 'VersionTLS10', 21],
    ['Intermediate', config({ type: 'Intermediate' }), 'VersionTLS12', 9],
    ['Modern', config({ type: 'Modern' }), 'VersionTLS13', 3],
    ['Custom without a spec', config({ type: 'Custom' }), 'VersionTLS12', 9],
  ])('is, for %s, as OpenShift defines it', (_title, given, minVersion, ciphers) => {
    const profile = tlsProfileOf(given);
    expect([profile.minVersion, profile.ciphers.length]).toEqual([minVersion, ciphers]);
  });

  it('has the names that Go knows, and leaves out what Go does not have', () => {
    const ciphers = [
      'ECDHE-RSA-CHACHA20-POLY1305',
      'DHE-RSA-AES128-GCM-SHA256',
      'AES256-SHA',
      'ECDHE-ECDSA-AES256-SHA384',
    ];
    const custom = { ciphers, minTLSVersion: 'VersionTLS11' };
    expect(tlsProfileOf(config({ type: 'Custom', custom }))).toEqual({
      minVersion: 'VersionTLS11',
      ciphers: ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'TLS_RSA_WITH_AES_256_CBC_SHA'],
      opensslCiphers: ['ECDHE-RSA-CHACHA20-POLY1305', 'AES256-SHA'],
    });
  });

  it.each([
    ['Old', 'c44729544d9530f284d40bdab2891509f656c9f9512e06c45fa6b122daf28ec9'],
    ['Intermediate', 'd96e4890584e1fc72e863f47ee42b735054cfe7e5af8df11c1ae9d499150c129'],
    ['Modern', 'f94c1c9363b31ef0e0320572b890792c04eed127e54e05868dad5b953ed4d49a'],
  ])('%s has the hash that the operator in Go writes on components', (type, hash) => {
    expect(profileHash(tlsProfileOf(config({ type })))).toBe(hash);
  });

  it('reaches the container of a server, in the place of what it had', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'WEBHOOK_TLS_MIN_VERSION', value: '1.0' },
    ];
    const containers = [{ name: 'webhook', env }, { name: 'other' }];
    const draft = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'w' },
      spec: { template: { spec: { containers } } },
    } as unknown as DraftObject;
    const servers = [{ deployment: 'w', container: 'webhook', prefix: 'WEBHOOK_' }] as const;
    withTlsProfile({ minVersion: 'VersionTLS13', ciphers: ['X', 'Y'] }, servers)(draft, {} as never);
    expect(containers).toEqual([
      {
        name: 'webhook',
        env: [
          { name: 'A', value: '1' },
          { name: 'WEBHOOK_TLS_MIN_VERSION', value: '1.3' },
          { name: 'WEBHOOK_TLS_CIPHER_SUITES', value: 'X,Y' },
        ],
      },
      { name: 'other' },
    ]);
  });

  it('of a version that there is not is an error', () => {
    expect(() => withTlsProfile({ minVersion: 'VersionTLS9', ciphers: [] }, [])).toThrow(
      'unknown TLS version: VersionTLS9',
    );
  });
});

describe('the console plugin', () => {
  const base = 'http {\n  server {\n    listen 8443 ssl;\n  }\n}\n';
  const directives = (type: string | undefined, isFips = false) => {
    const text = nginxWithTls(base, type === undefined ? undefined : tlsProfileOf(config({ type })), isFips);
    expect(text).toContain('server {\n    ssl_protocols');
    return text.split('\n').flatMap((line) => (line.startsWith('    ssl_') ? [line.trim()] : []));
  };

  it('serves with the TLS profile of the cluster', () => {
    expect(directives('Modern')).toEqual([
      'ssl_protocols TLSv1.3;',
      'ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384;',
      'ssl_ecdh_curve X25519MLKEM768:X25519:P-256:P-384:P-521;',
    ]);
    expect(directives('Intermediate', true)).toEqual([
      'ssl_protocols TLSv1.2 TLSv1.3;',
      expect.stringMatching(/^ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:.*:ECDHE-RSA-CHACHA20-POLY1305;$/),
      'ssl_prefer_server_ciphers on;',
      'ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384;',
      'ssl_ecdh_curve P-256:P-384:P-521;',
    ]);
    expect(directives(undefined)).toEqual([
      'ssl_protocols TLSv1.2 TLSv1.3;',
      'ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256;',
      'ssl_ecdh_curve X25519MLKEM768:X25519:P-256:P-384:P-521;',
    ]);
  });

  it.each([
    [[4, 21], 'old'],
    [[4, 22], 'new'],
    [[5, 0], 'new'],
    [undefined, 'new'],
  ] as const)('has, for OpenShift %j, the image %s', (version, image) => {
    const environment = { IMAGE_PIPELINES_CONSOLE_PLUGIN: 'new', IMAGE_PIPELINES_CONSOLE_PLUGIN_LEGACY: 'old' };
    expect(pluginImage(environment, version)).toBe(image);
  });
});
