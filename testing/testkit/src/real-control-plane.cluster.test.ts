import { kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { expect, it } from 'vitest';
import { startRealControlPlane } from './real-control-plane.ts';

it('serves a real API to the administrator and to users without rights', async () => {
  await using plane = await startRealControlPlane();
  expect(plane.version).toMatch(/^v1\.\d+\./);
  const metadata = { namespace: 'default', name: 'a' };
  await plane.client.create(kinds.ConfigMap, { metadata });
  const stranger = plane.clientFor({ name: 'jane', groups: ['system:authenticated'] });
  await expect(stranger.get(kinds.ConfigMap, metadata)).rejects.toSatisfy((error) => isStatusError(error, 'Forbidden'));
  const endpoint = await plane.https();
  expect(endpoint.port).toBeGreaterThan(0);
  expect(plane.logTail(5)).not.toBe('');
});
