import { httpsTransport, type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { transportCases } from './transport.cases.ts';
import type { Transport } from './transport.ts';

describe('the transport to a real kube-apiserver', () => {
  let plane: RealControlPlane;
  let transport: Transport;
  beforeAll(async () => {
    plane = await startRealControlPlane();
    transport = await httpsTransport(plane);
  });
  afterAll(async () => {
    await transport?.close();
    await plane?.close();
  });
  transportCases(() => ({ transport, another: () => httpsTransport(plane) }), {
    warnsOfUnknownFields: false,
    compacts: false,
  });
});
