import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pullBundle } from '../agent/bundle/pull-bundle.ts';
import { buildBundle, type BundleRequest } from './build-bundle.ts';

describe('a bundle for hosts', () => {
  let work: string;
  let request: BundleRequest;
  const put = (name: string, content: string | Buffer = '!<arch>\ndebian') =>
    writeFileSync(join(work, 'from', name), content);
  const members = (file: string) =>
    execFileSync('tar', ['-tvf', file], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.replace(/^(\S+).* (\S+)$/, '$1 $2'));
  const problemsOf = (changed: Partial<BundleRequest> = {}) =>
    buildBundle({ ...request, ...changed }).catch(
      (error: unknown) => (error as { problems: readonly string[] }).problems,
    );

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'tektite-bundle-'));
    mkdirSync(join(work, 'from'));
    mkdirSync(join(work, 'release/bin'), { recursive: true });
    writeFileSync(join(work, 'release/bin/containerd'), 'program');
    writeFileSync(join(work, 'release/bin/ctr'), 'program');
    const archive = execFileSync('tar', ['-czf', '-', '-C', join(work, 'release'), 'bin']);
    put('containerd-2.1.4-linux-amd64.tar.gz', archive);
    put('runc.amd64', 'program');
    for (const name of ['kubeadm', 'kubectl', 'kubelet']) put(`${name}_1.36.4-1.1_amd64.deb`);
    put('kubernetes-cni_1.8.0-1.1_amd64.deb');
    put('cri-tools_1.36.0-1.1_amd64.deb');
    request = {
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      architecture: 'amd64',
      k8sVersion: 'v1.36.4',
      from: join(work, 'from'),
      to: join(work, 'bundles'),
    };
  });
  afterEach(() => rmSync(work, { recursive: true, force: true }));

  it('has packages, containerd and what the kernel needs, and is what agents fetch', async () => {
    const folder = await buildBundle(request);
    expect(folder).toBe(join(work, 'bundles/byoh-bundle-debian_12_x86-64_k8s/v1.36.4'));
    const fetched = join(work, 'fetched');
    await pullBundle(
      `dir:${work}/bundles/byoh-bundle-debian_12_x86-64_k8s:v1.36.4`,
      fetched,
      AbortSignal.timeout(10_000),
    );
    expect(readdirSync(fetched).sort()).toEqual([
      'conf.tar',
      'containerd.tar',
      'cri-tools.deb',
      'kubeadm.deb',
      'kubectl.deb',
      'kubelet.deb',
      'kubernetes-cni.deb',
    ]);
    expect(members(join(fetched, 'containerd.tar'))).toEqual(
      expect.arrayContaining([
        '-rwxr-xr-x usr/local/bin/containerd',
        '-rwxr-xr-x usr/local/bin/ctr',
        '-rwxr-xr-x usr/local/sbin/runc',
        '-rw-r--r-- etc/systemd/system/containerd.service',
        '-rw-r--r-- etc/containerd/config.toml',
      ]),
    );
    expect(members(join(fetched, 'conf.tar'))).toContain('-rw-r--r-- etc/sysctl.d/99-kubernetes-cri.conf');
  });

  it('has packages of rpm for hosts that have it', async () => {
    for (const name of readdirSync(join(work, 'from'))) if (name.endsWith('.deb')) rmSync(join(work, 'from', name));
    const lead = Buffer.from([0xed, 0xab, 0xee, 0xdb]);
    for (const name of ['kubeadm', 'kubectl', 'kubelet']) put(`${name}-1.36.4-150500.1.1.x86_64.rpm`, lead);
    put('kubernetes-cni-1.8.0-150500.1.1.x86_64.rpm', lead);
    put('kubelet-1.36.4-150500.1.1.aarch64.rpm', lead);
    const osImage = 'Rocky Linux 9.4 (Blue Onyx)';
    expect(await problemsOf({ osImage })).toEqual([`there is no cri-tools-VERSION.x86_64.rpm in ${work}/from`]);
    put('cri-tools-1.36.0-150500.1.1.x86_64.rpm', '<html>');
    expect(await problemsOf({ osImage })).toEqual(['cri-tools-1.36.0-150500.1.1.x86_64.rpm is no package of rpm']);
    put('cri-tools-1.36.0-150500.1.1.x86_64.rpm', lead);
    const folder = await buildBundle({ ...request, osImage });
    expect(folder).toBe(join(work, 'bundles/byoh-bundle-rocky_9_x86-64_k8s/v1.36.4'));
    expect(readdirSync(folder)).toContain('kubernetes-cni.rpm');
  });

  it('is the same bytes from the same files, and replaces the one before', async () => {
    const folder = await buildBundle(request);
    const read = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
    const first = read();
    writeFileSync(join(folder, 'stale'), '');
    await buildBundle(request);
    expect(read()).toEqual(first);
    expect(readdirSync(join(work, 'bundles/byoh-bundle-debian_12_x86-64_k8s'))).toEqual(['v1.36.4']);
  });

  it('takes an archive that is rooted at / as it is', async () => {
    put('cri-containerd-cni-1.7.28-linux-amd64.tar.gz', 'archive');
    const folder = await buildBundle(request);
    expect(readFileSync(join(folder, 'containerd.tar'), 'utf8')).toBe('archive');
  });

  it('names everything that is missing, of another version, or there twice', async () => {
    rmSync(join(work, 'from/runc.amd64'));
    rmSync(join(work, 'from/kubelet_1.36.4-1.1_amd64.deb'));
    put('kubelet_1.36.40-1.1_amd64.deb');
    put('kubelet_1.36.4-1.1_arm64.deb');
    put('cri-tools_1.35.0-1.1_amd64.deb');
    const where = `in ${work}/from`;
    expect(await problemsOf()).toEqual([
      `there are several of cri-tools_VERSION_amd64.deb: cri-tools_1.35.0-1.1_amd64.deb, cri-tools_1.36.0-1.1_amd64.deb ${where}`,
      `there is no kubelet_1.36.4_amd64.deb ${where}`,
      `there is no runc.amd64 ${where}`,
    ]);
    expect(readdirSync(work)).not.toContain('bundles');
  });

  it('is not built of files that are not what their names say, and leaves nothing behind', async () => {
    put('kubeadm_1.36.4-1.1_amd64.deb', '<html>not found</html>');
    expect(await problemsOf()).toEqual(['kubeadm_1.36.4-1.1_amd64.deb is no package of Debian']);
    expect(readdirSync(join(work, 'bundles/byoh-bundle-debian_12_x86-64_k8s'))).toEqual([]);
  });

  it('is refused for hosts that the installer does not support', async () => {
    expect(await problemsOf({ osImage: 'Plan 9' })).toEqual([
      expect.stringContaining('No k8s support for OS: "Plan 9"'),
    ]);
  });
});
