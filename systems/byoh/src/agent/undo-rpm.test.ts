import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standardRows } from '../installer/installer-registry.ts';
import { k8sScripts } from '../installer/k8s-scripts.ts';
import { renderTemplate } from '../installer/script-template.ts';
import { overlayProblem } from './sandbox/overlay-sandbox.ts';
import {
  differences,
  fstab,
  killer,
  makeBundle,
  programProblem,
  rockyHost,
  rockySettings,
  type SandboxHost,
} from './sandbox/test-support.ts';

const problem = (await overlayProblem()) ?? programProblem('rpmbuild');
if (problem !== undefined) process.stderr.write(`scripts for hosts with rpm were not run: ${problem}\n`);

let work: string;
let pristine: SandboxHost;
let install: string;
let uninstall: string;

beforeAll(async () => {
  if (problem !== undefined) return;
  work = mkdtempSync(join(tmpdir(), 'tektite-bundle-'));
  const bundle = makeBundle(work, '1.30.2', 'rpm');
  const facts = { osname: 'linux', osimage: 'Rocky Linux 9.4 (Blue Onyx)', architecture: 'amd64' };
  const made = k8sScripts(standardRows, facts, 'v1.30.2', { bundleRepo: `dir:${bundle}`, bundleType: 'k8s' });
  if (!made.ok) throw new Error(made.failureMessage);
  const fill = (script: string) => renderTemplate(script, { BundleDownloadPath: '/var/lib/byoh/bundles' });
  install = fill(made.scripts.install);
  uninstall = fill(made.scripts.uninstall);
  pristine = await rockyHost('host', work);
}, 60_000);
afterAll(() => {
  pristine?.[Symbol.dispose]();
  rmSync(work ?? '/nowhere', { recursive: true, force: true });
});

async function expectClean(host: SandboxHost): Promise<void> {
  expect(await differences(host, pristine)).toEqual([]);
  expect(host.shim('swaps')).toBe('/dev/sda2\n');
  expect(host.shim('selinux')).toBe('Enforcing\n');
  const { tail } = await host.run(
    'rpm -qa; systemctl is-active firewalld; systemctl is-enabled firewalld; cat /etc/dnf/dnf.conf /etc/selinux/config /etc/fstab',
  );
  expect(tail).toBe(`test-base-1.0-1.noarch\nactive\nenabled\n${Object.values(rockySettings).join('')}${fstab}`);
}

describe.skipIf(problem !== undefined)('on a host with rpm in a sandbox, real scripts', () => {
  it('install what they say, and undo all of it', { timeout: 120_000 }, async () => {
    using host = await rockyHost('host', work);
    expect(await host.run(install)).toEqual({ exitCode: 0, tail: expect.stringContaining('Kubernetes is installed') });
    const { tail } = await host.run(`rpm -qa | sort
cat /etc/dnf/dnf.conf; grep ^SELINUX= /etc/selinux/config; getenforce
for unit in firewalld kubelet containerd; do systemctl is-active $unit; systemctl is-enabled $unit; done
command -v kubeadm kubelet`);
    expect(tail).toBe(`test-base-1.0-1.noarch
test-cri-tools-1.30.2-1.noarch
test-kubeadm-1.30.2-1.noarch
test-kubectl-1.30.2-1.noarch
test-kubelet-1.30.2-1.noarch
test-kubernetes-cni-1.30.2-1.noarch
[main]
gpgcheck=1
excludepkgs=kernel* test-cri-tools test-kubernetes-cni test-kubectl test-kubelet test-kubeadm
best=True
SELINUX=permissive
Permissive
inactive
disabled
inactive
enabled
active
enabled
/usr/bin/kubeadm
/usr/bin/kubelet
`);
    await host.run('echo edited >>/etc/sysconfig/kubelet; systemctl start kubelet');
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
    expect((await host.run(uninstall)).tail).toContain('nothing to undo');
  });

  it.each([6, 9])('leave nothing behind when both are killed at step %s', { timeout: 120_000 }, async (step) => {
    using host = await rockyHost('host', work);
    const kill = killer(join(host.root, 'agent'), `"step ${step} "*`);
    expect((await host.run(install, kill)).exitCode).not.toBe(0);
    expect((await host.run(install)).tail).toContain('Kubernetes is installed');
    await host.run(uninstall, kill);
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
  });

  it('remove the files of a transaction that rpm has forgotten', { timeout: 120_000 }, async () => {
    using host = await rockyHost('host', work);
    await host.run(install, killer(join(host.root, 'agent'), '*--install --replacepkgs*'));
    // The files of a package are there, and its database does not know it.
    await host.run('mkdir -p /opt/cni/bin; touch /usr/bin/kubelet /opt/cni/bin/bridge');
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
  });

  it('change nothing where a package needs what is not installed', { timeout: 120_000 }, async () => {
    using host = await rockyHost('host', work);
    await host.run('rpm --erase --nodeps --justdb test-base');
    const { exitCode, tail } = await host.run(install);
    expect(exitCode).toBe(1);
    expect(tail).toContain('test-base is needed by test-kubelet-1.30.2-1.noarch');
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await host.run(`rpm --install --justdb /run/byoh-agent/base.rpm`);
    await expectClean(host);
  });
});
