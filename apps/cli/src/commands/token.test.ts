import { createHmac } from 'node:crypto';
import { createKey, createSigningRequest } from '@tektite/certificates';
import {
  Client,
  type ClientConfig,
  type CredentialMaterial,
  httpTransport,
  kinds,
  openClient,
  staticCredentials,
} from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type RunningCommand, Scratch } from '../test-support.ts';

/** The conversation of `kubeadm join` and of a kubelet that starts, in their order. */
describe('a machine that joins', () => {
  const scratch = new Scratch();
  let up: RunningCommand & { readonly kubeconfig: string };
  let admin: Client;
  let server: string;
  let authority: string;
  let token: string;

  const command = (...args: string[]) => scratch.tektite(['token', ...args, '--kubeconfig', up.kubeconfig]);
  const clientWith = (material?: CredentialMaterial): Client => {
    const config: ClientConfig = { server, certificateAuthority: authority, namespace: 'default' };
    return new Client(httpTransport(material ? { ...config, credentials: staticCredentials(material) } : config));
  };
  const bearer = () => clientWith({ authorization: `Bearer ${token}` });
  /** Asks for a certificate as kubelets do, and waits for it. */
  async function certificateFor(client: Client, name: string, signer: string, hosts: readonly string[] = []) {
    const key = await createKey();
    const subject = { commonName: 'system:node:far', organizations: ['system:nodes'], hosts };
    const request = Buffer.from(await createSigningRequest(key, subject)).toString('base64');
    const usages = ['digital signature', hosts.length > 0 ? 'server auth' : 'client auth'];
    const spec = { request, signerName: `kubernetes.io/${signer}`, usages };
    await client.create(kinds.CertificateSigningRequest, { metadata: { name }, spec });
    let certificate = '';
    await eventually(async () => {
      const { status } = await admin.get(kinds.CertificateSigningRequest, { name });
      certificate = Buffer.from(status?.certificate ?? '', 'base64').toString();
      return certificate;
    }).toMatch('BEGIN CERTIFICATE');
    return { clientCertificate: { key, certificate } };
  }

  beforeAll(async () => {
    const data = `${scratch.path}/data`;
    const args = ['up', '--data-dir', data, '--port', '0', '--runtime', 'none', '--tls-san', 'control.example'];
    up = Object.assign(await scratch.start(args, /Ctrl-C/), { kubeconfig: `${data}/kubeconfig` });
    admin = await openClient({ kubeconfig: up.kubeconfig });
    server = `https://${/https:\/\/(\S+)/.exec(up.output)?.[1]}`;
  });
  afterAll(async () => {
    await admin?.close();
    await up?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  it('is not offered an address that only this machine reaches', () => {
    const { code, err } = command('create');
    expect(err).toMatch(/other machines do not reach this control plane: it listens on loopback\. .*--host 0\.0\.0\.0/);
    expect(code).not.toBe(0);
  });

  it('gets a command with a token and the hash of the authority', () => {
    const { out, err } = command('create', '--print-join-command', '--server', 'control.example:6443');
    expect(err).toBe('');
    expect(out).toMatch(
      /^kubeadm join control\.example:6443 --token [a-z0-9]{6}\.[a-z0-9]{16} --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}\n$/,
    );
    token = /--token (\S+)/.exec(out)?.[1] ?? '';
    expect(command('list').out).toMatch(new RegExp(`^ID +EXPIRES.*\\n${token.slice(0, 6)} +in 2[34]h`));
  });

  it('reads cluster-info without credentials, and verifies its signature with the token', async () => {
    await using anonymous = new Client(httpTransport({ server, insecureSkipTlsVerify: true, namespace: 'default' }));
    const [id = '', secret = ''] = token.split('.');
    let signed: Readonly<Record<string, string>> = {};
    await eventually(async () => {
      const { data = {} } = await anonymous.get(kinds.ConfigMap, { namespace: 'kube-public', name: 'cluster-info' });
      signed = data;
      return Object.keys(data);
    }).toContain(`jws-kubeconfig-${id}`);
    const [header, none, signature] = (signed[`jws-kubeconfig-${id}`] ?? '').split('.');
    expect(JSON.parse(Buffer.from(header ?? '', 'base64url').toString())).toEqual({ alg: 'HS256', kid: id });
    const payload = Buffer.from(signed['kubeconfig'] ?? '').toString('base64url');
    expect(none).toBe('');
    expect(signature).toBe(createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url'));
    const config = parseFirstYaml(signed['kubeconfig'] ?? '')?.value as unknown as {
      clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
    };
    expect(config.clusters[0]?.cluster.server).toBe('https://control.example:6443');
    authority = Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
    expect(await errorOf(anonymous.get(kinds.ConfigMap, { namespace: 'kube-system', name: 'kubeadm-config' }))).toBe(
      'Forbidden',
    );
  });

  it('reads the configurations of kubeadm and of kubelets, and nothing else, with the token', async () => {
    await using client = bearer();
    const namespace = 'kube-system';
    const read = async (name: string, key: string) =>
      parseFirstYaml((await client.get(kinds.ConfigMap, { namespace, name })).data?.[key] ?? '')?.value;
    expect(await read('kubeadm-config', 'ClusterConfiguration')).toMatchObject({
      kind: 'ClusterConfiguration',
      controlPlaneEndpoint: 'control.example:6443',
    });
    expect(await read('kubelet-config', 'kubelet')).toMatchObject({ kind: 'KubeletConfiguration' });
    expect(await errorOf(client.get(kinds.Node, { name: 'far' }))).toBe('NotFound');
    expect(await errorOf(client.list(kinds.Secret, { namespace }))).toBe('Forbidden');
    expect(await errorOf(client.create(kinds.Node, { metadata: { name: 'far' } }))).toBe('Forbidden');
  });

  it('becomes a node with a certificate of its own, which is its only right', async () => {
    await using bootstrap = bearer();
    const material = await certificateFor(bootstrap, 'client-far', 'kube-apiserver-client-kubelet');
    await using node = clientWith(material);
    await node.create(kinds.Node, { metadata: { name: 'far' } });
    expect(await errorOf(node.create(kinds.Node, { metadata: { name: 'other' } }))).toBe('Forbidden');
    const [id] = token.split('.');
    const secret = { namespace: 'kube-system', name: `bootstrap-token-${id}` };
    expect(await errorOf(node.get(kinds.Secret, secret))).toBe('Forbidden');
  });

  it('is shut out when the token is deleted', async () => {
    expect(command('delete', token).out).toBe(`bootstrap token ${token.slice(0, 6)} deleted\n`);
    await using client = bearer();
    await eventually(() => errorOf(client.get(kinds.Node, { name: 'far' }))).toBe('Unauthorized');
    expect(command('list').err).toMatch('No bootstrap tokens found');
  });

  const errorOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (isStatusError(error) ? error.reason : String(error)),
    );
});
