import { expect, it } from 'vitest';
import type { HttpKubeApi } from '../api/http-kube-api.ts';
import { ApiError, connectionStatus } from '../api/kube-api.ts';
import { SessionStore } from './session-store.ts';

it('asks a proxy for the user once, and then waits', async () => {
  let logins = 0;
  const api = {
    request: async (path: string) => {
      if (path === '/api/login') return { form: 'header' };
      if (++logins > 5) throw new Error('asks for ever');
      throw new ApiError({ ...connectionStatus('the credentials are not valid'), code: 401 });
    },
  } as unknown as HttpKubeApi;
  const store = new SessionStore(() => api, { read: () => undefined, write: () => undefined });
  await store.start();
  expect(store.state.value).toMatchObject({ phase: 'out', form: 'header', error: expect.stringContaining('No user') });
  expect(logins).toBe(1);
});
