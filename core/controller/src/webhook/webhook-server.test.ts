import { connect as connectSocket } from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as send } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { defineKind, s } from '@tektite/schema';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { missingField } from '../field-errors/field-error-kinds.ts';
import { validating, validatingWebhook } from './validating-webhook.ts';
import { WebhookServer } from './webhook-server.ts';

const Thing = defineKind({
  group: 'g.example.com',
  version: 'v1',
  kind: 'Thing',
  fields: { spec: s.object({ size: s.integer().optional() }) },
});
let release: () => void;
const held = new Promise<undefined>((resolve) => {
  release = () => resolve(undefined);
});
const webhook = validatingWebhook({
  name: 'validation.g.example.com',
  path: '/resource-validation',
  rules: [
    validating(Thing, ({ spec }) => {
      if (spec.size === 1) return undefined;
      if (spec.size === 2) return held;
      return missingField('spec.size');
    }),
  ],
});
const review = (size?: number) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    kind: { group: 'g.example.com', version: 'v1', kind: 'Thing' },
    operation: 'CREATE',
    object: {
      apiVersion: 'g.example.com/v1',
      kind: 'Thing',
      metadata: { name: 't' },
      spec: size === undefined ? {} : { size },
    },
  },
});

let authority: KeyPair;
let certificate: KeyPair;
let server: WebhookServer;
let agent: Agent;
let ready = true;

beforeAll(async () => {
  authority = await createAuthority('test', systemClock);
  certificate = await issueCertificate(authority, { commonName: 'hook', hosts: ['127.0.0.1'] }, systemClock);
});

beforeEach(async () => {
  ready = true;
  server = await WebhookServer.start({
    webhooks: [webhook],
    certificate,
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 64 * 1024,
    timeoutMs: 20_000,
    isReady: () => ready,
  });
  agent = new Agent({ keepAlive: true, ca: authority.certificate });
});

afterEach(async () => {
  agent.destroy();
  await server.stop();
});

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown> & { readonly message?: string; readonly response?: Record<string, unknown> };
  readonly socket: number | undefined;
}

function call(
  path: string,
  body: string | Buffer | undefined,
  options: { method?: string; type?: string | undefined } = {},
): Promise<Answer> {
  const { method = 'POST', type = 'application/json' } = options;
  return new Promise((resolve, reject) => {
    const headers = type === '' ? {} : { 'content-type': type };
    const outgoing = send({ host: '127.0.0.1', port: server.port, path, method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          code: response.statusCode ?? 0,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
          socket: response.socket?.localPort,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const ask = (size?: number) => call('/resource-validation?timeout=10s', JSON.stringify(review(size)));

describe('a webhook server', () => {
  test('answers reviews on connections that are kept', async () => {
    const first = await ask(1);
    expect(first).toMatchObject({ code: 200, body: { response: { uid: 'u', allowed: true } } });
    const second = await ask();
    expect(second.body.response).toMatchObject({
      allowed: false,
      status: { message: 'validation failed: missing field(s): spec.size' },
    });
    expect(second.socket).toBe(first.socket);
  });

  test('answers reviews over HTTP/2', async () => {
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/resource-validation',
      'content-type': 'application/json',
    });
    stream.end(JSON.stringify(review(1)));
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(JSON.parse(text)).toMatchObject({ response: { allowed: true } });
    session.close();
  });

  test.each<[string, () => Promise<Answer>, number, string]>([
    ['an unknown path', () => call('/nowhere', '{}'), 404, 'there is no webhook at "/nowhere"'],
    ['a path that is none', () => call('//', '{}'), 404, 'there is no webhook at'],
    [
      'another method',
      () => call('/resource-validation', undefined, { method: 'GET' }),
      405,
      'reviews are sent with POST, not GET',
    ],
    [
      'another content type',
      () => call('/resource-validation', '{}', { type: 'text/yaml' }),
      415,
      'reviews are application/json, not "text/yaml"',
    ],
    ['no content type', () => call('/resource-validation', '{}', { type: '' }), 415, 'of no content type'],
    ['an empty body', () => call('/resource-validation', ''), 400, 'the body is empty'],
    ['no JSON', () => call('/resource-validation', '{"a"'), 400, 'the body is no JSON: '],
    ['no review', () => call('/resource-validation', '{}'), 400, 'the body is no AdmissionReview'],
    [
      'a large body',
      () => call('/resource-validation', Buffer.alloc(100_000, 32)),
      413,
      'the review is larger than 65536 bytes',
    ],
    ['deep nesting', () => call('/resource-validation', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`), 400, ''],
    ['a timeout that is none', () => call('/resource-validation?timeout=soon', JSON.stringify([])), 400, 'but a list'],
  ])('answers %s with what is wrong, and goes on', async (_, wrong, code, message) => {
    const answer = await wrong();
    expect(answer.code).toBe(code);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure' });
    expect(answer.body.message).toContain(message);
    expect((await ask(1)).code).toBe(200);
  });

  test('cuts off who sends without end', async () => {
    const endless = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certificate });
    let sent = 0;
    let isOpen = true;
    endless.on('error', () => {});
    endless.on('data', () => {});
    const closed = new Promise<void>((resolve) => {
      endless.once('close', () => {
        isOpen = false;
        resolve();
      });
    });
    const headers = 'host: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked';
    endless.write(`POST /resource-validation HTTP/1.1\r\n${headers}\r\n\r\n`);
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 32), Buffer.from('\r\n')]);
    const more = (error?: Error | null) => {
      if (error || !isOpen) return;
      sent += chunk.length;
      endless.write(chunk, more);
    };
    more();
    await closed;
    expect(sent).toBeLessThan(50_000_000);
    expect((await ask(1)).code).toBe(200);
  });

  test('takes a content type with a charset', async () => {
    const body = JSON.stringify(review(1));
    expect((await call('/resource-validation', body, { type: 'application/json; charset=utf-8' })).code).toBe(200);
  });

  test('says whether it lives and whether it is ready', async () => {
    expect((await call('/healthz', undefined, { method: 'GET' })).code).toBe(200);
    expect((await call('/readyz', undefined, { method: 'GET' })).code).toBe(200);
    ready = false;
    expect(await call('/readyz', undefined, { method: 'GET' })).toMatchObject({
      code: 503,
      body: { reason: 'ServiceUnavailable' },
    });
    expect((await call('/healthz', undefined, { method: 'GET' })).code).toBe(200);
  });

  test('survives those who speak no TLS, or break off', async () => {
    const plain = connectSocket(server.port, '127.0.0.1');
    plain.end('GET / HTTP/1.1\r\n\r\n');
    const tls = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certificate });
    await new Promise<void>((resolve) => tls.once('secureConnect', () => resolve()));
    tls.write('POST /resource-validation HTTP/1.1\r\ncontent-length: 500\r\n\r\n{');
    tls.destroy();
    expect((await ask(1)).code).toBe(200);
  });

  test('is not believed with an expired certificate, and is again with a new one, on new connections only', async () => {
    const before = await ask(1);
    const expired = await issueCertificate(authority, { commonName: 'hook', hosts: ['127.0.0.1'] }, systemClock, {
      validForMs: -3_600_000,
    });
    server.use(expired);
    const kept = await ask(1);
    expect(kept.socket).toBe(before.socket);
    agent.destroy();
    agent = new Agent({ keepAlive: true, ca: authority.certificate });
    await expect(ask(1)).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    server.use(certificate);
    expect((await ask(1)).code).toBe(200);
  });

  test('does not take a key that is not the certificate’s', async () => {
    expect(() => server.use({ certificate: certificate.certificate, key: authority.key })).toThrow();
    expect((await ask(1)).code).toBe(200);
  });

  test('gives the answers that are under way when it stops, and takes no more', async () => {
    const idle = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certificate });
    await new Promise<void>((resolve) => idle.once('secureConnect', () => resolve()));
    const waiting = ask(2);
    await expect.poll(async () => (await ask(1)).code).toBe(200);
    const stopped = server.stop();
    release();
    expect((await waiting).body.response).toMatchObject({ allowed: true });
    await stopped;
    await expect(ask(1)).rejects.toThrow();
  });

  test('says when its port is taken', async () => {
    await expect(
      WebhookServer.start({ webhooks: [webhook], certificate, host: '127.0.0.1', port: server.port }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
