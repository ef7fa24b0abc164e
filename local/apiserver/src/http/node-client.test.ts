import { issueCertificate } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { HttpTestServer } from './test-support.ts';

const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

describe('a node with a certificate', () => {
  it('registers and keeps its lease, and takes nothing of the cluster or of another node', async () => {
    await using server = await HttpTestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
    const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
    const as = await issueCertificate(server.authority, subject, systemClock);
    const post = (path: string, body: object) =>
      server.http2(path, { method: 'POST', headers: json, body: JSON.stringify(body), as });
    const patch = (path: string, body: object) =>
      server.http2(path, { method: 'PATCH', headers: merge, body: JSON.stringify(body), as });
    await server.api.ok('POST', '/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 'bootstrap-token-abcdef' },
    });
    await server.api.ok('POST', '/api/v1/nodes', { metadata: { name: 'n2' } });
    await server.api.ok('POST', lease, { metadata: { name: 'n2' }, spec: { holderIdentity: 'n2' } });

    expect((await post('/api/v1/nodes', { metadata: { name: 'n1' } })).code).toBe(201);
    expect((await post(lease, { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1' } })).code).toBe(201);

    const attacks = [
      server.http2('/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef', { as }),
      server.http2('/api/v1/namespaces/kube-system/secrets', { as }),
      server.http2('/api/v1/secrets?fieldSelector=metadata.name%3Dbootstrap-token-abcdef', { as }),
      server.http2('/api/v1/pods?fieldSelector=spec.nodeName%3Dn2', { as }),
      patch('/api/v1/nodes/n2', { metadata: { labels: { pool: 'mine' } } }),
      patch('/api/v1/nodes/n1', { metadata: { labels: { 'node-restriction.kubernetes.io/pool': 'secure' } } }),
      patch(`${lease}/n2`, { spec: { holderIdentity: 'n1' } }),
    ];
    expect((await Promise.all(attacks)).map(({ code }) => code)).toEqual(attacks.map(() => 403));
  });
});
