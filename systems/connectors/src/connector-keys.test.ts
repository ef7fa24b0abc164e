import { describe, expect, it } from 'vitest';
import { installManifestName, nameLabel, versionLabel } from './connector-keys.ts';

describe('the name of an InstallManifest', () => {
  it('is the same for the same Connector, and another one for its namesake elsewhere', () => {
    const name = installManifestName({ namespace: 'a', name: 'shop' }, 'static');
    expect(name).toMatch(/^shop-[0-9a-f]{8}-static$/);
    expect(installManifestName({ namespace: 'a', name: 'shop' }, 'static')).toBe(name);
    expect(installManifestName({ namespace: 'b', name: 'shop' }, 'static')).not.toBe(name);
  });

  it('stays short, and a name', () => {
    const long = `${'a'.repeat(39)}.${'b'.repeat(200)}`;
    expect(installManifestName({ namespace: 'a', name: long }, 'deployment')).toMatch(/^a{39}-[0-9a-f]{8}-deployment$/);
  });
});

it('labels are cut so that different names stay different', () => {
  const [one, other] = [`${'a'.repeat(100)}1`, `${'a'.repeat(100)}2`].map(nameLabel);
  expect(one).not.toBe(other);
  expect(one).toMatch(/^[a-z0-9-]{1,63}$/);
  expect(nameLabel('shop')).toBe('shop');
});

it.each([
  ['v1.2.3', 'v1.2.3'],
  ['v1.2.3+build/7', 'v1.2.3-build-7'],
  ['+', ''],
  [`v${'1'.repeat(100)}`, `v${'1'.repeat(62)}`],
])('the version %s is the label %s', (version, label) => expect(versionLabel(version)).toBe(label));
