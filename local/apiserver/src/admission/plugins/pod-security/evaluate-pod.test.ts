import type { PodSpec } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import { evaluatePod, formatDetails } from './evaluate-pod.ts';
import { formatLevelVersion, type LevelVersion, readPolicy } from './security-policy.ts';

const harmless = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ name: 'c', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
} as unknown as PodSpec;

const container = (securityContext: object) =>
  ({ containers: [{ name: 'c', securityContext }] }) as unknown as Partial<PodSpec>;

function violations(level: LevelVersion, spec: object, annotations: Record<string, string> = {}): string {
  return formatDetails(evaluatePod(level, { metadata: { annotations }, spec: { ...harmless, ...spec } as PodSpec }));
}

const baseline: LevelVersion = { level: 'baseline', version: 'latest' };
const restricted: LevelVersion = { level: 'restricted', version: 'latest' };

describe('the baseline level', () => {
  test.each<[string, object, string]>([
    ['a Pod that asks for nothing special', {}, ''],
    ['root', { securityContext: {}, containers: [{ name: 'c' }] }, ''],
    ['host namespaces', { hostNetwork: true, hostPID: true }, 'host namespaces (hostNetwork=true, hostPID=true)'],
    [
      'privileged containers',
      container({ privileged: true }),
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    [
      'added capabilities',
      container({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } }),
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'host paths',
      {
        volumes: [
          { name: 'a', hostPath: { path: '/' } },
          { name: 'b', hostPath: { path: '/' } },
        ],
      },
      'hostPath volumes (volumes "a", "b")',
    ],
    [
      'host ports',
      {
        initContainers: [{ name: 'i', ports: [{ hostPort: 9 }] }],
        containers: [{ name: 'c', ports: [{ hostPort: 80 }] }],
      },
      'hostPort (containers "i", "c" use hostPorts 80, 9)',
    ],
    [
      'probes of other hosts',
      { containers: [{ name: 'c', livenessProbe: { httpGet: { host: 'other', port: 1 } } }] },
      'probe or lifecycle host (container "c" uses probe or lifecycle host "other")',
    ],
    [
      'unusual proc mounts',
      container({ procMount: 'Unmasked' }),
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'SELinux of one’s own',
      { securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u' } } },
      'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [
      'no seccomp',
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'no AppArmor',
      container({ appArmorProfile: { type: 'Unconfined' } }),
      'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'unsafe sysctls',
      { securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_rmem' }] } },
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      'Windows host processes',
      { securityContext: { windowsOptions: { hostProcess: true } } },
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])('says of %s what is wrong', (_, spec, expected) => {
    expect(violations(baseline, spec)).toBe(expected);
  });

  test('minds annotations that switch AppArmor off', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    expect(violations(baseline, {}, annotations)).toContain('annotation must not set AppArmor profile type to');
  });
});

describe('the restricted level', () => {
  test.each<[string, object, string]>([
    ['a Pod that takes care', {}, ''],
    [
      'a Pod that says nothing',
      { securityContext: {}, containers: [{ name: 'a' }, { name: 'b' }] },
      'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or containers "a", "b" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    [
      'volumes of the node or of the network',
      {
        volumes: [
          { name: 'n', nfs: {} },
          { name: 'h', hostPath: {} },
          { name: 's', secret: {} },
        ],
      },
      'restricted volume types (volumes "n", "h" use restricted volume types "hostPath", "nfs")',
    ],
    [
      'root by number',
      { securityContext: { ...harmless.securityContext, runAsUser: 0 } },
      'runAsUser=0 (pod must not set runAsUser=0)',
    ],
    [
      'root by choice of a container',
      {
        containers: [
          {
            ...harmless.containers?.[0],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: false },
          },
        ],
      },
      'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'root in a separate user namespace',
      { hostUsers: false, securityContext: { seccompProfile: { type: 'Localhost' }, runAsUser: 0 } },
      '',
    ],
    [
      'Windows, which has no capabilities',
      { os: { name: 'windows' }, securityContext: { runAsNonRoot: true }, containers: [{ name: 'c' }] },
      '',
    ],
  ])('says of %s what is wrong', (_, spec, expected) => {
    expect(violations(restricted, spec)).toBe(expected);
  });

  test('is what it was in the version that is asked for', () => {
    const silent = { securityContext: {}, containers: [{ name: 'c' }] };
    const old = violations({ level: 'restricted', version: 7 }, silent);
    expect(old).toBe('runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)');
    const newer = violations({ level: 'restricted', version: 99 }, silent);
    expect(newer).toBe(violations(restricted, silent));
  });
});

describe('the labels of a namespace', () => {
  const label = (name: string) => `pod-security.kubernetes.io/${name}`;

  test('say what is enforced, and that is warned of too', () => {
    const { policy } = readPolicy({ [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.30' });
    expect(formatLevelVersion(policy.enforce)).toBe('baseline:v1.30');
    expect(formatLevelVersion(policy.warn)).toBe('baseline:v1.30');
  });

  test('may ask for warnings alone', () => {
    const { policy } = readPolicy({ [label('warn')]: 'restricted' });
    expect(formatLevelVersion(policy.enforce)).toBe('privileged:latest');
    expect(formatLevelVersion(policy.warn)).toBe('restricted:latest');
  });

  test('that are invalid are reported and enforced strictly', () => {
    const { policy, errors } = readPolicy({ [label('enforce')]: 'some', [label('warn-version')]: '1.2' });
    expect(policy.enforce.level).toBe('restricted');
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "some": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"',
    ]);
  });
});
