import { kinds } from '@tektite/client';
import { installKinds } from '@tektite/controller';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { ByoHost } from '../kinds/byo-host.ts';
import { ubuntu } from '../test-support.ts';
import { registerHost } from './register-host.ts';

it('a host that waits in vain for its rights reports the namespace and the flag', async () => {
  const clock = virtualClock();
  await using plane = await startControlPlane({ clock });
  await installKinds(plane.client, [ByoHost]);
  await plane.client.create(kinds.Namespace, { metadata: { name: 'tenant-b' } });
  const client = plane.clientFor({ name: 'byoh:host:h1', groups: ['byoh:hosts', 'system:authenticated'] });
  const { signal } = new AbortController();
  const attempt = registerHost({ client, namespace: 'tenant-b', name: 'h1', labels: {}, facts: ubuntu, signal });
  await expect(clock.until(attempt)).rejects.toThrow(
    /^the host h1 may not register in the namespace tenant-b: .* it may in the namespace of its bootstrap kubeconfig, which --namespace names$/,
  );
});
