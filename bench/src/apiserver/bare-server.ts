import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { Pool } from 'undici';

/**
 * The reference for requests: the same kind of HTTPS server in a bare Node process, which reads the body, parses it and
 * sends it back, and does nothing else. What a request costs above this is ours.
 */
export async function startBareServer(): Promise<{ connect(connections: number): Pool; stop(): Promise<void> }> {
  const authority = await createAuthority('bench', systemClock);
  const { certificate, key } = await issueCertificate(
    authority,
    { commonName: 'bench', hosts: ['127.0.0.1'] },
    systemClock,
  );
  const server = createSecureServer({ cert: certificate, key, allowHTTP1: true }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length > 0 ? JSON.stringify(JSON.parse(Buffer.concat(chunks).toString())) : '{}';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pools: Pool[] = [];
  return {
    connect(connections) {
      const pool = new Pool(address, { connections, pipelining: 1, connect: { rejectUnauthorized: false } });
      pools.push(pool);
      return pool;
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
