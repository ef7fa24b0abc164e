import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '@tektite/meta';
import { expect } from 'vitest';
import { BundleDesk } from '../bundle/bundle-desk.ts';
import { insideFolder, type OverlayOptions, overlaySandbox } from './overlay-sandbox.ts';
import type { Sandbox, ScriptOutcome } from './sandbox.ts';

export const ubuntuRelease = 'NAME="Ubuntu"\nVERSION="20.04.6 LTS (Focal Fossa)"\nPRETTY_NAME="Ubuntu 20.04.6 LTS"\n';

/** An active line, one that is off already, and a comment that merely mentions it. No line break at the end. */
export const fstab = `# /etc/fstab: swap was on /dev/sda2 during installation
/dev/sda1 / ext4 defaults 0 1
/dev/sda2 none swap sw 0 0
#/dev/sdb2 none swap sw 0 0
tmpfs /scratch tmpfs defaults 0 0`;

function must(command: string, args: readonly string[], cwd?: string): void {
  const { status, stderr } = spawnSync(command, args, { ...(cwd ? { cwd } : {}), encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.anything()]);
}

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

/** Leaves traces as the real one does, and takes them away again. */
const kubeadm = `#!/bin/bash
case "$1" in
  join | init)
    mkdir -p /etc/kubernetes /var/lib/kubelet /run/cluster-api
    echo node >/etc/kubernetes/kubelet.conf
    echo success >/run/cluster-api/bootstrap-success.complete
    ;;
  reset) rm -rf /etc/kubernetes /var/lib/kubelet ;;
esac
`;

/** The files of the packages of a bundle, by their names there. */
const packageFiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cri-tools': { 'usr/bin/crictl': '#!/bin/sh\n' },
  'kubernetes-cni': { 'opt/cni/bin/bridge': '#!/bin/sh\n' },
  kubectl: { 'usr/bin/kubectl-byoh': '#!/bin/sh\n' },
  kubelet: { 'usr/bin/kubelet': '#!/bin/sh\n' },
  kubeadm: { 'usr/bin/kubeadm': kubeadm },
};

/** Makes a bundle of real packages and archives, whose content is small. Their names are none that a machine might have. */
export function makeBundle(folder: string, version = '1.26.6', system: 'deb' | 'rpm' = 'deb'): string {
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle, { recursive: true });
  for (const [name, files] of Object.entries(packageFiles)) {
    const root = join(folder, `package-${name}`);
    for (const [path, text] of Object.entries(files)) put(join(root, path), text, 0o755);
    if (system === 'deb') makeDeb(root, name, version, join(bundle, `${name}.deb`));
    else makeRpm(root, name, version, join(bundle, `${name}.rpm`));
  }
  const conf = join(folder, 'conf');
  put(join(conf, 'etc/modules-load.d/containerd.conf'), 'overlay\nbr_netfilter\n');
  put(
    join(conf, 'etc/sysctl.d/99-kubernetes-cri.conf'),
    'net.ipv4.ip_forward = 1\nnet.bridge.bridge-nf-call-iptables = 1\n',
  );
  must('tar', ['-cf', join(bundle, 'conf.tar'), '--owner=0', '--group=0', '-C', conf, 'etc']);
  const containerd = join(folder, 'containerd');
  put(join(containerd, 'usr/local/bin/containerd'), '#!/bin/sh\n', 0o755);
  put(join(containerd, 'opt/containerd/cluster/version'), `${version}\n`);
  put(join(containerd, 'opt/cni/bin/loopback'), '#!/bin/sh\n', 0o755);
  put(join(containerd, 'etc/crictl.yaml'), 'runtime-endpoint: unix:///run/containerd/containerd.sock\n');
  put(
    join(containerd, 'etc/systemd/system/containerd.service'),
    '[Service]\nExecStart=/usr/local/bin/containerd\n[Install]\nWantedBy=multi-user.target\n',
  );
  must('tar', [
    '-czf',
    join(bundle, 'containerd.tar'),
    '--owner=0',
    '--group=0',
    '-C',
    containerd,
    './etc',
    './opt',
    './usr',
  ]);
  return bundle;
}

function makeDeb(root: string, name: string, version: string, file: string): void {
  if (name === 'kubelet') {
    put(join(root, 'etc/default/kubelet'), 'KUBELET_EXTRA_ARGS=\n');
    put(join(root, 'DEBIAN/conffiles'), '/etc/default/kubelet\n');
  }
  put(
    join(root, 'DEBIAN/control'),
    `Package: test-${name}\nVersion: ${version}-00\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDepends: ${name === 'kubeadm' ? 'test-kubelet (>= 1.0), ' : ''}libc6 | musl\nDescription: a stand-in\n`,
  );
  must('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, file]);
}

/** A package of rpm. One that needs `test-base` can only be installed on a host of {@link rockyHost}. */
function makeRpm(root: string, name: string, version: string, file: string): void {
  if (name === 'kubelet') {
    put(join(root, 'etc/sysconfig/kubelet'), 'KUBELET_EXTRA_ARGS=\n');
    put(
      join(root, 'usr/lib/systemd/system/kubelet.service'),
      '[Service]\nExecStart=/usr/bin/kubelet\n[Install]\nWantedBy=multi-user.target\n',
    );
  }
  const needs = name === 'base' ? '' : `Requires: ${name === 'kubeadm' ? 'test-kubelet >= 1.0' : 'test-base'}\n`;
  const spec = join(dirname(file), `${name}.spec`);
  put(
    spec,
    `Name: test-${name}\nVersion: ${version}\nRelease: 1\nSummary: a stand-in\nLicense: none\nBuildArch: noarch\nAutoReqProv: no\n${needs}%description
a stand-in
%install
mkdir -p %{buildroot}
cp -a ${root}/. %{buildroot}/
%files
${filesBelow(root)
  .map((path) => `${path.startsWith('/etc/') ? '%config(noreplace) ' : ''}${path}\n`)
  .join('')}`,
  );
  const top = `${root}-top`;
  must('rpmbuild', ['-bb', '--quiet', '--define', `_topdir ${top}`, '--define', '_binary_payload w0.gzdio', spec]);
  copyFileSync(join(top, 'RPMS/noarch', `test-${name}-${version}-1.noarch.rpm`), file);
  rmSync(spec);
}

function filesBelow(root: string, path = ''): readonly string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(root, `${path}/${entry.name}`) : [`${path}/${entry.name}`],
  );
}

/** A host in a sandbox, with what a test wants to find on it. */
export class SandboxHost implements Disposable {
  readonly root: string;
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly desk: BundleDesk;
  private readonly serving = new AbortController();
  private served: Promise<void> | undefined;

  private constructor(root: string, name: string, sandbox: Sandbox) {
    this.root = root;
    this.name = name;
    this.sandbox = sandbox;
    this.desk = new BundleDesk(join(root, 'agent'), insideFolder, systemClock);
  }

  static async start(
    name: string,
    more: Partial<OverlayOptions> & { readonly release?: string | undefined } = {},
  ): Promise<SandboxHost> {
    const root = mkdtempSync('/dev/shm/tektite-host-');
    const { release = ubuntuRelease, ...options } = more;
    if (release !== '') put(join(root, 'upper/etc/os-release'), release);
    put(join(root, 'upper/etc/fstab'), fstab, 0o640);
    // Was here before, and is replaced by the bundle: has to be back afterwards.
    put(join(root, 'upper/etc/crictl.yaml'), 'the administrator wrote this\n', 0o600);
    const sandbox = await overlaySandbox({ clock: systemClock, root, name, ...options });
    put(join(root, 'agent/shim/swaps'), '/dev/sda2\n');
    put(join(root, 'agent/shim/ufw'), 'active\n');
    put(join(root, 'agent/shim/sysctl/net.ipv4.ip_forward'), '0\n');
    const host = new SandboxHost(root, name, sandbox);
    await host.desk.open();
    return host;
  }

  /** The same host, as another agent would find it, with other variables for its scripts. */
  static async reopen(
    { root, name }: SandboxHost,
    environment: Readonly<Record<string, string>>,
  ): Promise<SandboxHost> {
    return new SandboxHost(root, name, await overlaySandbox({ clock: systemClock, root, name, environment }));
  }

  serve(): void {
    this.served ??= this.desk.serve(this.serving.signal);
  }

  run(script: string, env: Readonly<Record<string, string>> = {}): Promise<ScriptOutcome> {
    this.serve();
    return this.sandbox.run(script, { name: 'test', timeoutMs: 120_000, env });
  }

  /** The state of a stand-in. */
  shim(name: string): string {
    return readFileSync(join(this.root, 'agent/shim', name), 'utf8');
  }

  failNext(...lines: readonly string[]): void {
    writeFileSync(join(this.root, 'agent/shim/fail'), lines.map((line) => `${line}\n`).join(''));
  }

  /** All folders in which something was changed. */
  changedFolders(): readonly string[] {
    const found: string[] = [];
    const walk = (folder: string) => {
      found.push(folder === '' ? '/' : folder);
      for (const entry of readdirSync(join(this.root, 'upper', folder), { withFileTypes: true }))
        if (entry.isDirectory()) walk(`${folder}/${entry.name}`);
    };
    walk('');
    return found;
  }

  /** The content of these folders: names, modes, owners, links, and the content of files that were ever written to. */
  async listing(folders: readonly string[], files: readonly string[]): Promise<string> {
    const list = [...folders].map((folder) => `'${folder}'`).join(' ');
    const out = `${insideFolder}/listing`;
    const script = `exec >${out}
for folder in ${list}; do
  [ -d "$folder" ] && find "$folder" -maxdepth 1 ! -type s -printf '%p %y %m %U:%G %l\\n'
done | sort -u
for file in ${files.map((file) => `'${file}'`).join(' ')}; do
  if [ -f "$file" ] && [ ! -L "$file" ]; then sha256sum "$file"; fi
done
true
`;
    const { exitCode, tail } = await this.run(script);
    expect([exitCode, tail]).toEqual([0, '']);
    return readFileSync(join(this.root, 'agent/listing'), 'utf8');
  }

  changedFiles(): readonly string[] {
    const found: string[] = [];
    const walk = (folder: string) => {
      for (const name of readdirSync(join(this.root, 'upper', folder))) {
        const path = `${folder}/${name}`;
        const entry = lstatSync(join(this.root, 'upper', path));
        if (entry.isDirectory()) walk(path);
        else found.push(path);
      }
    };
    walk('');
    return found;
  }

  [Symbol.dispose](): void {
    this.serving.abort(new Error('the test ended'));
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const rockyRelease =
  'NAME="Rocky Linux"\nVERSION="9.4 (Blue Onyx)"\nPRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"\n';

/** The settings of a host with rpm, as its administrator left them. */
export const rockySettings: Readonly<Record<string, string>> = {
  '/etc/dnf/dnf.conf': '[main]\ngpgcheck=1\nexcludepkgs=kernel*\nbest=True\n',
  '/etc/selinux/config': '# enforcing, permissive or disabled\nSELINUX=enforcing\nSELINUXTYPE=targeted\n',
};

/** A host with rpm and its database, dnf, firewalld and SELinux. `folder` is where its first package is made. */
export async function rockyHost(name: string, folder: string): Promise<SandboxHost> {
  const host = await SandboxHost.start(name, { release: rockyRelease });
  put(join(host.root, 'upper/etc/rpm/macros.dbpath'), '%_dbpath /var/lib/rpm\n');
  for (const [path, text] of Object.entries(rockySettings)) put(join(host.root, 'upper', path), text);
  const unit = 'etc/systemd/system/firewalld.service';
  put(join(host.root, 'upper', unit), '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n');
  put(join(host.root, 'agent/shim/selinux'), 'Enforcing\n');
  put(join(host.root, 'agent/shim/active/firewalld'), '');
  const base = join(folder, 'base.rpm');
  if (!existsSync(base)) {
    put(join(folder, 'package-base/usr/share/test-base'), '');
    makeRpm(join(folder, 'package-base'), 'base', '1.0', base);
  }
  copyFileSync(base, join(host.root, 'agent/base.rpm'));
  const { exitCode, tail } = await host.run(`rpm --install ${insideFolder}/base.rpm && systemctl enable firewalld`);
  if (exitCode !== 0) throw new Error(tail);
  return host;
}

/** Logs, caches and locks of the package manager, which do not count as changes of the host. */
const allowed = [
  /^\/var\/log\//,
  /^\/var\/cache(?:\/|$)/,
  /^\/var\/lib\/dpkg\/(?:status-old|lock|lock-frontend|triggers\/Lock|diversions-old|statoverride-old|available-old|available)$/,
  // A database whose content is listed by rpm.
  /^\/var\/lib\/rpm\//,
  /^\/etc\/ld\.so\.cache$/,
];

const isAllowed = (line: string) => {
  const path = /^[0-9a-f]{64} {2}/.test(line) ? line.slice(66) : (line.split(' ')[0] ?? '');
  return allowed.some((pattern) => pattern.test(path));
};

/** Holds a host against one on which nothing was ever done. Answers all differences. */
export async function differences(used: SandboxHost, pristine: SandboxHost): Promise<readonly string[]> {
  const folders = used.changedFolders();
  const files = used.changedFiles();
  const lines = async (host: SandboxHost) =>
    new Set((await host.listing(folders, files)).split('\n').filter((line) => line !== '' && !isAllowed(line)));
  const [after, before] = [await lines(used), await lines(pristine)];
  return [
    ...[...before].filter((line) => !after.has(line)).map((line) => `- ${line}`),
    ...[...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`),
  ];
}

/** Has bash kill itself before a command for the so-many-th time that the command begins with this text. */
export function killer(folder: string, pattern: string): Readonly<Record<string, string>> {
  put(
    join(folder, 'killer'),
    `set -o functrace\ntrap 'case "$BASH_COMMAND" in ${pattern}) kill -9 $$ ;; esac' DEBUG\n`,
  );
  return { BASH_ENV: '/run/byoh-agent/killer' };
}

/** Why a test cannot be run that needs a program; undefined when it can. */
export function programProblem(program: string): string | undefined {
  const { error } = spawnSync(program, ['--version']);
  return error ? `there is no ${program}` : undefined;
}
