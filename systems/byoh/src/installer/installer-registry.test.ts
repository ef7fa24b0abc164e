import { describe, expect, it } from 'vitest';
import { matchesGlob, resolveBundle, standardRows } from './installer-registry.ts';

const ubuntu = { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' };

describe('the registry', () => {
  it.each([
    [ubuntu, 'v1.26.6', 'byoh-bundle-ubuntu_20.04.1_x86-64_k8s:v1.26.6'],
    [ubuntu, 'v1.24.0', 'byoh-bundle-ubuntu_20.04.1_x86-64_k8s:v1.24.0'],
    [
      { ...ubuntu, osimage: 'Ubuntu 22.04.4 LTS', architecture: 'arm64' },
      'v1.31.2',
      'byoh-bundle-ubuntu_22.04_arm64_k8s:v1.31.2',
    ],
    [{ ...ubuntu, osimage: 'Ubuntu 24.04.2 LTS' }, 'v1.36.1', 'byoh-bundle-ubuntu_24.04_x86-64_k8s:v1.36.1'],
    [{ ...ubuntu, osimage: 'Debian GNU/Linux 12 (bookworm)' }, 'v1.36.1', 'byoh-bundle-debian_12_x86-64_k8s:v1.36.1'],
    [{ ...ubuntu, osimage: 'Debian GNU/Linux 13 (trixie)' }, 'v1.36.1', 'byoh-bundle-debian_13_x86-64_k8s:v1.36.1'],
    [{ ...ubuntu, osimage: 'Rocky Linux 9.4 (Blue Onyx)' }, 'v1.30.1', 'byoh-bundle-rocky_9_x86-64_k8s:v1.30.1', 'rpm'],
    [
      { ...ubuntu, osimage: 'Red Hat Enterprise Linux 9.4 (Plow)' },
      'v1.30.1',
      'byoh-bundle-rhel_9_x86-64_k8s:v1.30.1',
      'rpm',
    ],
  ])('finds the bundle for %j and %s', (host, version, bundle, packages = 'deb') => {
    expect(resolveBundle(standardRows, host, version)).toEqual({ ok: true, bundle, packages });
  });

  it.each([
    [
      { ...ubuntu, osimage: 'Rocky Linux 8.3' },
      'v1.26.6',
      'UnsupportedOS',
      'No k8s support for OS: "Rocky Linux 8.3" is none of Ubuntu 20.04*',
    ],
    [
      { ...ubuntu, architecture: 'riscv64' },
      'v1.26.6',
      'UnsupportedArch',
      '"riscv64" is not supported; it is on amd64, arm64',
    ],
    [ubuntu, 'v1.23.9', 'UnsupportedKubernetesVersion', 'Kubernetes "v1.23.9" is not supported'],
    [ubuntu, 'v1.260.1', 'UnsupportedKubernetesVersion', 'v1.24.*'],
    [ubuntu, 'v1.26.6; rm -rf /', 'UnsupportedKubernetesVersion', 'is not supported'],
    [ubuntu, '', 'UnsupportedKubernetesVersion', 'is not supported'],
  ])('says what is wrong with %j and %s', (host, version, failureReason, message) => {
    const result = resolveBundle(standardRows, host, version);
    expect(result).toMatchObject({ ok: false, failureReason });
    expect(result.ok || result.failureMessage).toContain(message);
  });

  it('takes any version where upstream would, with the option', () => {
    expect(resolveBundle(standardRows, ubuntu, 'v1.22.9', { strictVersion: false }).ok).toBe(true);
    expect(resolveBundle(standardRows, ubuntu, 'v1.22.9`id`', { strictVersion: false }).ok).toBe(false);
  });

  it.each([
    ['v1.26.*', 'v1.26.6', true],
    ['v1.26.*', 'v1.260.6', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c', false],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['x', 'x', true],
    ['x', 'xy', false],
  ])('%s matches %s: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });
});
