import type { PodTemplateSpec } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { templateHash } from './template-hash.ts';

/** As the API server stores them, with defaults. Their hashes, with and without a collision count, are what Go's controller computes. */
const cases: readonly { readonly template: PodTemplateSpec; readonly hash: string; readonly third: string }[] = [
  { template: {}, hash: '85748b7f68', third: '7c87ffd547' },
  {
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx:1.27',
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'IfNotPresent',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '596556dd5f',
    third: '56dfdbd588',
  },
  {
    template: {
      metadata: { labels: { b: '2', a: '1' }, annotations: { note: 'ü' } },
      spec: {
        serviceAccountName: 'sa',
        serviceAccount: 'sa',
        hostIPC: true,
        os: { name: 'linux' },
        dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
        hostAliases: [{ ip: '10.0.0.1', hostnames: ['x'] }],
        volumes: [
          { name: 'cache', emptyDir: { sizeLimit: '100Ti' } },
          { name: 'config', configMap: { name: 'settings', defaultMode: 420 } },
          { name: 'share', nfs: { server: 's', path: '/' } },
        ],
        containers: [
          {
            name: 'c',
            image: 'i',
            env: [{ name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }],
            resources: {
              limits: { cpu: '1500m', memory: '1Gi' },
              requests: { cpu: '1', memory: '8Mi', 'ephemeral-storage': '10k' },
            },
            readinessProbe: {
              httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            livenessProbe: { tcpSocket: { port: 80 } },
            securityContext: { seLinuxOptions: { level: 's0' }, capabilities: { drop: ['ALL'] }, runAsUser: 1000 },
            tty: true,
          },
        ],
      },
    },
    hash: '7d5588786',
    third: '6469f6f7fc',
  },
];

it.each(cases)('is what the controller manager of Kubernetes computes: $hash', ({ template, hash, third }) => {
  expect(templateHash(template, undefined)).toBe(hash);
  expect(templateHash(template, 3)).toBe(third);
});

it('takes empty lists and maps as absent', () => {
  const { template, hash } = cases[1] ?? { template: {}, hash: '' };
  const emptied = { ...template, spec: { ...template.spec, volumes: [], nodeSelector: {} } } as PodTemplateSpec;
  expect(templateHash(emptied, undefined)).toBe(hash);
});
