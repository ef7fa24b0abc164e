import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { standardRows } from './installer-registry.ts';
import { k8sScripts } from './k8s-scripts.ts';
import { renderTemplate } from './script-template.ts';

const host = { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' };
const make = (spec: object) =>
  k8sScripts(standardRows, host, 'v1.26.6', { bundleRepo: 'registry.example.com/b', bundleType: 'k8s', ...spec });
const hostile = `x'; touch /tmp/oops; echo "$(id)\`id\`\\`;

describe('the scripts of the default installer', () => {
  it.each([
    {},
    { scriptFlavor: 'upstream' },
    { bundleRepo: hostile },
    { bundleRepo: hostile, scriptFlavor: 'upstream' },
    { proxy: { httpProxy: hostile, noProxy: [hostile] } },
  ])('can be read by bash, and have one variable left for the agent: %j', (spec) => {
    const made = make(spec);
    if (!made.ok) throw new Error(made.failureMessage);
    for (const script of Object.values(made.scripts)) {
      expect(script).toContain('{{.BundleDownloadPath}}');
      const filled = renderTemplate(script, { BundleDownloadPath: '/b' });
      expect(filled).not.toContain('{{');
      expect(spawnSync('bash', ['-n'], { input: filled, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    }
    expect(make(spec)).toEqual(made);
  });

  it('keep whatever is in the address of a bundle as one word', () => {
    const made = make({ bundleRepo: hostile });
    if (!made.ok) throw new Error(made.failureMessage);
    const [line] = made.scripts.install.split('\n').filter((each) => each.startsWith('address='));
    const { stdout } = spawnSync('bash', ['-c', `${line}\nprintf %s "$address"`], { encoding: 'utf8' });
    expect(stdout).toBe(`${hostile}/byoh-bundle-ubuntu_20.04.1_x86-64_k8s:v1.26.6`);
  });

  it.each([{}, { proxy: { httpProxy: hostile } }])('can be read by bash for hosts with rpm: %j', (spec) => {
    const rocky = { ...host, osimage: 'Rocky Linux 9.4 (Blue Onyx)' };
    const made = k8sScripts(standardRows, rocky, 'v1.30.1', { bundleRepo: hostile, bundleType: 'k8s', ...spec });
    if (!made.ok) throw new Error(made.failureMessage);
    for (const script of Object.values(made.scripts)) {
      expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
      expect(script).not.toMatch(/dpkg|apt-mark|\.deb/);
    }
    const upstream = { bundleRepo: 'dir:/b', bundleType: 'k8s', scriptFlavor: 'upstream' } as const;
    expect(k8sScripts(standardRows, rocky, 'v1.30.1', upstream)).toMatchObject({
      ok: false,
      failureMessage: 'scriptFlavor upstream has no steps for hosts with packages of rpm',
    });
  });

  it.each([
    [{ bundleType: 'rke' }, 'bundleType "rke" is not known'],
    [{ bundleRepo: ' ' }, 'bundleRepo is empty'],
    [{ bundleRepo: 'a/{{.Foo}}' }, 'which the agent would take for a variable'],
    [{ bundleRepo: 'a\nb' }, 'has control characters'],
    [{ bundleRepo: 'dir:/a/../../etc' }, 'leads out of its folder'],
    [{ proxy: { noProxy: ['{{'] } }, 'which the agent would take for a variable'],
  ])('are not made of %j', (spec, message) => {
    const made = make(spec);
    expect(made).toMatchObject({ ok: false, failureReason: 'InvalidConfiguration' });
    expect(made.ok || made.failureMessage).toContain(message);
  });
});
