import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standardRows } from '../installer/installer-registry.ts';
import { k8sScripts } from '../installer/k8s-scripts.ts';
import { renderTemplate } from '../installer/script-template.ts';
import { overlayProblem } from './sandbox/overlay-sandbox.ts';
import { differences, fstab, killer, makeBundle, SandboxHost } from './sandbox/test-support.ts';

const problem = await overlayProblem();
if (problem !== undefined) process.stderr.write(`real scripts in sandboxes were not run: ${problem}\n`);

/** At which commands scripts are killed: each so-many-th. `KILLS=1 npx vitest run systems/byoh/src/agent/undo` takes an hour. */
const everyKill = Number(process.env['KILLS'] ?? 301);

let work: string;
let pristine: SandboxHost;
let install: string;
let uninstall: string;

beforeAll(async () => {
  if (problem !== undefined) return;
  work = mkdtempSync(join(tmpdir(), 'tektite-bundle-'));
  const bundle = makeBundle(work);
  const facts = { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' };
  const proxy = { httpProxy: 'http://proxy.example.com:3128', noProxy: ['localhost', '10.0.0.0/8'] };
  const made = k8sScripts(standardRows, facts, 'v1.26.6', { bundleRepo: `dir:${bundle}`, bundleType: 'k8s', proxy });
  if (!made.ok) throw new Error(made.failureMessage);
  const fill = (script: string) => renderTemplate(script, { BundleDownloadPath: '/var/lib/byoh/bundles' });
  install = fill(made.scripts.install);
  uninstall = fill(made.scripts.uninstall);
  pristine = await SandboxHost.start('host');
}, 60_000);
afterAll(() => {
  pristine?.[Symbol.dispose]();
  rmSync(work ?? '/nowhere', { recursive: true, force: true });
});

/** Everything is restored: files, packages, fstab, and kernel settings. */
async function expectClean(host: SandboxHost): Promise<void> {
  expect(await differences(host, pristine)).toEqual([]);
  expect(host.shim('swaps')).toBe('/dev/sda2\n');
  expect(host.shim('ufw')).toBe('active\n');
  expect(host.shim('modules')).toBe('');
  expect(host.shim('sysctl/net.ipv4.ip_forward')).toBe('0\n');
  const { tail } = await host.run('cat /etc/fstab; echo; ls /var/lib/byoh 2>&1');
  expect(tail).toBe(`${fstab}\nls: cannot access '/var/lib/byoh': No such file or directory\n`);
}

describe.skipIf(problem !== undefined)('on a real host in a sandbox, real scripts', () => {
  it('install what they say, and undo all of it', { timeout: 120_000 }, async () => {
    using host = await SandboxHost.start('host');
    const done = await host.run(install);
    expect(done).toEqual({ exitCode: 0, tail: expect.stringContaining('Kubernetes is installed') });
    const look = await host.run(`dpkg-query -W -f '\${Package} \${Version} \${db:Status-Abbrev}\\n' 'test-*'
apt-mark showhold
cat /etc/fstab; echo
cat /etc/crictl.yaml /etc/systemd/system/containerd.service.d/http-proxy.conf
systemctl is-enabled containerd; systemctl is-active containerd
ls /usr/local/bin/containerd /opt/cni/bin /etc/modules-load.d/containerd.conf
hash -r; command -v kubeadm`);
    expect(look.tail).toBe(`test-cri-tools 1.26.6-00 hi 
test-kubeadm 1.26.6-00 hi 
test-kubectl 1.26.6-00 hi 
test-kubelet 1.26.6-00 hi 
test-kubernetes-cni 1.26.6-00 hi 
test-cri-tools
test-kubeadm
test-kubectl
test-kubelet
test-kubernetes-cni
${fstab.replace('\n/dev/sda2', '\n#/dev/sda2')}
runtime-endpoint: unix:///run/containerd/containerd.sock
[Service]
Environment="HTTP_PROXY=http://proxy.example.com:3128"
Environment="NO_PROXY=localhost,10.0.0.0/8"
enabled
active
/etc/modules-load.d/containerd.conf
/usr/local/bin/containerd

/opt/cni/bin:
bridge
loopback
/usr/bin/kubeadm
`);
    expect(host.shim('swaps')).toBe('');
    expect(host.shim('ufw')).toBe('inactive\n');
    expect(host.shim('sysctl/net.ipv4.ip_forward')).toBe('1\n');
    expect((await differences(host, pristine)).length).toBeGreaterThan(20);
    expect(await host.run(uninstall)).toEqual({
      exitCode: 0,
      tail: expect.stringContaining('this host is as it was before'),
    });
    await expectClean(host);
  });

  it('may be run twice, both of them, and without the bundle', { timeout: 180_000 }, async () => {
    using host = await SandboxHost.start('host');
    for (let i = 0; i < 2; i++) expect((await host.run(install)).tail).toContain('Kubernetes is installed');
    await host.run('rm -rf /var/lib/byoh/bundles');
    for (let i = 0; i < 2; i++) expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
    expect((await host.run(uninstall)).tail).toContain('nothing to undo');
  });

  const steps = Array.from({ length: 11 }, (_, i) => i + 1);

  it.each(steps)(
    'leave nothing behind when the installation is killed at step %s',
    { timeout: 120_000 },
    async (step) => {
      using host = await SandboxHost.start('host');
      const { exitCode } = await host.run(install, killer(join(host.root, 'agent'), `"step ${step} "*`));
      expect(exitCode).not.toBe(0);
      expect((await host.run(uninstall)).exitCode).toBe(0);
      await expectClean(host);
    },
  );

  it('continue after kills: each run gets one step further, and all of it is undone', {
    timeout: 120_000,
  }, async () => {
    using host = await SandboxHost.start('host');
    const kill = (step: number) => killer(join(host.root, 'agent'), `"step ${step} "*`);
    const changing = [4, 5, 8, 9, 10, 11];
    for (const step of changing) expect((await host.run(install, kill(step))).tail).not.toContain('is installed');
    expect((await host.run(install)).tail).toContain('Kubernetes is installed');
    for (const step of changing.toReversed()) expect((await host.run(uninstall, kill(step))).exitCode).not.toBe(0);
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
  });

  it('leave nothing behind when either of them is killed at any command', { timeout: 3_600_000 }, async () => {
    const counter = `n=0; set -o functrace; trap 'n=$((n + 1)); [ "$n" != "\${KILL_AT:-}" ] || kill -9 $$' DEBUG; trap 'echo "$n" >/run/byoh-agent/count' EXIT\n`;
    const count = async (host: SandboxHost, script: string) => {
      writeFileSync(join(host.root, 'agent/counter'), counter);
      await host.run(script, { BASH_ENV: '/run/byoh-agent/counter' });
      return Number(readFileSync(join(host.root, 'agent/count'), 'utf8'));
    };
    using model = await SandboxHost.start('host');
    const [forward, backward] = [await count(model, install), await count(model, uninstall)];
    expect([forward > 200, backward > 100]).toEqual([true, true]);
    for (let at = everyKill; at < forward + backward; at += everyKill) {
      using host = await SandboxHost.start('host');
      writeFileSync(join(host.root, 'agent/counter'), counter);
      const kill = (n: number) => ({ BASH_ENV: '/run/byoh-agent/counter', KILL_AT: String(n) });
      if (at < forward) expect((await host.run(install, kill(at))).exitCode).not.toBe(0);
      else {
        await host.run(install);
        await host.run(uninstall, kill(at - forward));
      }
      expect([at, (await host.run(uninstall)).exitCode]).toEqual([at, 0]);
      expect([at, await differences(host, pristine)]).toEqual([at, []]);
      await expectClean(host);
    }
  });

  it.each([
    ['modprobe:br_netfilter', 'modprobe br_netfilter'],
    ['swapoff', 'swapoff -a'],
    ['ufw:disable', 'ufw disable'],
    ['systemctl:start', 'systemctl start containerd'],
    ['sysctl:--system', 'sysctl --system'],
  ])('stop at the first command that fails, and can be undone: %s', { timeout: 120_000 }, async (line, command) => {
    using host = await SandboxHost.start('host');
    host.failNext(line);
    const { exitCode, tail } = await host.run(install);
    expect(exitCode).toBe(1);
    expect(tail).toContain(`failed with exit code 1: ${command}`);
    host.failNext();
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
  });

  it('change nothing when the bundle lacks something, is damaged, or is not there', { timeout: 120_000 }, async () => {
    using host = await SandboxHost.start('host');
    const spoiled = join(work, 'spoiled');
    const bundle = makeBundle(spoiled);
    const attempt = async (text: string) => {
      const result = await host.run(install.replace(join(work, 'bundle'), bundle));
      expect(result.exitCode).toBe(1);
      expect(result.tail).toContain(text);
      expect((await host.run(uninstall)).exitCode).toBe(0);
      await expectClean(host);
    };
    writeFileSync(join(bundle, 'kubelet.deb'), 'no package');
    await attempt('has a bad kubelet.deb');
    rmSync(join(bundle, 'kubelet.deb'));
    await attempt('has no kubelet.deb');
    rmSync(spoiled, { recursive: true });
    await attempt('there is no bundle in');
  });

  it('stop where there is no room for what they write, and can be undone', { timeout: 120_000 }, async () => {
    using host = await SandboxHost.start('host');
    // No file may become larger than a kilobyte, which is where a full disk stops them too: in the middle.
    writeFileSync(join(host.root, 'agent/full'), "trap '' XFSZ\nulimit -f 1\n");
    const { exitCode, tail } = await host.run(install, { BASH_ENV: '/run/byoh-agent/full' });
    expect(exitCode).toBe(1);
    expect(tail).toContain('File too large');
    expect((await host.run(uninstall)).exitCode).toBe(0);
    await expectClean(host);
    expect((await host.run(install)).tail).toContain('Kubernetes is installed');
  });

  it('keep concurrent edits of fstab', { timeout: 120_000 }, async () => {
    using host = await SandboxHost.start('host');
    await host.run(install);
    await host.run('echo >>/etc/fstab; echo "/dev/sdc1 /data ext4 defaults 0 2" >>/etc/fstab');
    expect((await host.run(uninstall)).exitCode).toBe(0);
    const { tail } = await host.run('cat /etc/fstab');
    expect(tail).toBe(`${fstab}\n/dev/sdc1 /data ext4 defaults 0 2\n`);
  });

  it('leave the machine around the sandbox alone', { timeout: 60_000 }, async () => {
    using host = await SandboxHost.start('host');
    const { tail } = await host.run(`echo 1 >/proc/sys/vm/drop_caches && echo reached || echo fenced
ls ${JSON.stringify(process.cwd())} 2>/dev/null | wc -l
grep -c . /proc/net/dev`);
    expect(tail).toContain('fenced\n0\n');
  });
});
