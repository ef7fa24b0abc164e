import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from './environment-proxy.ts';
import { httpTransport } from './http-transport.ts';

describe('the proxy that the environment names', () => {
  const proxy = 'http://proxy:3128';
  it.each([
    ['https://example.com', { HTTPS_PROXY: proxy }, proxy],
    ['https://example.com', { https_proxy: 'proxy:3128' }, proxy],
    ['https://example.com', { HTTP_PROXY: proxy }, undefined],
    ['http://example.com', { HTTP_PROXY: proxy }, proxy],
    ['https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://127.1.2.3:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://a.example.com', { HTTPS_PROXY: proxy, NO_PROXY: 'other, example.com' }, undefined],
    ['https://a.example.com', { HTTPS_PROXY: proxy, no_proxy: '.example.com' }, undefined],
    ['https://badexample.com', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com' }, proxy],
    ['https://example.com:6443', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com:443' }, proxy],
    ['https://example.com:6443', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com:6443' }, undefined],
    ['https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://11.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8,nonsense/99' }, proxy],
    ['https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/8' }, undefined],
    ['https://example.com', { HTTPS_PROXY: proxy, NO_PROXY: '*' }, undefined],
  ])('for %s with %j is %s', (server, environment, expected) => {
    expect(proxyFromEnvironment(server, environment)).toBe(expected);
  });
});

it('reaches the server through the proxy of the kubeconfig', async () => {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  await using plane = await startControlPlane();
  const { config, port } = await plane.https();
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const transport = httpTransport({ ...config, proxyUrl });
  expect((await transport.request({ method: 'GET', path: '/readyz' })).body).toBe('ok');
  expect(asked).toEqual([`127.0.0.1:${port}`]);
  await transport.close();
  proxy.closeAllConnections();
  proxy.close();
});
