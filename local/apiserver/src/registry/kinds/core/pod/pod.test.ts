import { describe, expect, it } from 'vitest';
import {
  created,
  createErrors,
  createWarnings,
  defaulted,
  objectOf,
  tableRow,
  updateErrors,
} from '../../test-support.ts';

const container = { name: 'c', image: 'busybox' };
const pod = (spec: object, metadata: object = {}) =>
  objectOf('v1', 'Pod', { metadata: { name: 'x', ...metadata }, spec: { containers: [container], ...spec } });
const withContainer = (content: object) => pod({ containers: [{ ...container, ...content }] });

describe('a new Pod is refused', () => {
  it.each<[string, ReturnType<typeof pod>, string[]]>([
    ['for nothing', pod({}), []],
    ['without containers', pod({ containers: [] }), ['spec.containers: Required value']],
    ['without an image', withContainer({ image: '' }), ['spec.containers[0].image: Required value']],
    [
      'with a container twice',
      pod({ containers: [container, container] }),
      ['spec.containers[1].name: Duplicate value: "c"'],
    ],
    [
      'with a port that is none',
      withContainer({ ports: [{ containerPort: 0 }] }),
      ['spec.containers[0].ports[0].containerPort: Required value'],
    ],
    [
      'with a port beyond all ports',
      withContainer({ ports: [{ containerPort: 70000 }] }),
      ['spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    [
      'with an unknown pull policy',
      withContainer({ imagePullPolicy: 'Perhaps' }),
      [
        'spec.containers[0].imagePullPolicy: Unsupported value: "Perhaps": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      'with a mount of no volume',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'with a variable from two places',
      withContainer({
        env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
      }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      'with more requested than allowed',
      withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'with a volume of two kinds',
      pod({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] }),
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'with a probe of no kind',
      withContainer({ livenessProbe: {} }),
      ['spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    ],
    [
      'with an unknown restart policy',
      pod({ restartPolicy: 'Sometimes' }),
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      'with privileges that it may not escalate to',
      withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      [
        'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    ],
  ])('%s', (_, object, expected) => expect(createErrors(object)).toEqual(expected));
});

describe('a changed Pod', () => {
  it('may have other images', () => {
    expect(
      updateErrors(pod({}), (object) => {
        object.spec.containers[0].image = 'alpine';
      }),
    ).toEqual([]);
  });

  it('may not have other commands', () => {
    const errors = updateErrors(pod({}), (object) => {
      object.spec.containers[0].command = ['x'];
    });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(
      /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,/,
    );
    expect(errors[0]).toContain('-   "Command": null,\n+   "Command": [\n+    "x"\n+   ],\n');
  });
});

it('fills in what was left out', () => {
  const { spec } = defaulted(withContainer({ ports: [{ containerPort: 80 }] }));
  expect(spec).toMatchObject({
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    containers: [{ imagePullPolicy: 'Always', ports: [{ containerPort: 80, protocol: 'TCP' }] }],
  });
});

it('starts as pending, of a class of service', () => {
  expect(created(withContainer({ resources: { requests: { cpu: '1' } } })).status).toMatchObject({
    phase: 'Pending',
    qosClass: 'Burstable',
  });
});

it('warns of doubled variables', () => {
  expect(
    createWarnings(
      withContainer({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
    ),
  ).toEqual(['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply']);
});

describe('its row', () => {
  it('of a new Pod', () => {
    expect(tableRow(created(pod({})))?.slice(0, 5)).toEqual(['x', '0/1', 'Pending', '0', '60m']);
  });

  it('of a Pod that crashes', () => {
    const object = created(pod({}));
    object.status.phase = 'Running';
    object.status.containerStatuses = [
      {
        name: 'c',
        ready: false,
        restartCount: 3,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { finishedAt: '2026-03-01T11:58:00Z', exitCode: 1 } },
      },
    ];
    expect(tableRow(object)?.slice(0, 4)).toEqual(['x', '0/1', 'CrashLoopBackOff', '3 (2m ago)']);
  });
});
