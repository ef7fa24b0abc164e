import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readCloudConfig } from './cloud-config.ts';

const file = (more: string) =>
  readCloudConfig(`#cloud-config\nwrite_files:\n- path: /a\n  content: hello\n  ${more}\n`).files[0];

describe('a cloud-config', () => {
  it('is read as kubeadm writes it', () => {
    const config = readCloudConfig(`## template: jinja
#cloud-config

write_files:
-   path: /etc/kubernetes/pki/ca.crt
    owner: root:root
    permissions: '0640'
    content: |
      -----BEGIN CERTIFICATE-----
runcmd:
  - 'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/cluster-api/bootstrap-success.complete'
  - [echo, "it's", 2]
ntp: {enabled: true}
users: []
`);
    expect(config).toEqual({
      files: [
        {
          path: '/etc/kubernetes/pki/ca.crt',
          owner: 'root:root',
          permissions: '0640',
          append: false,
          content: Buffer.from('-----BEGIN CERTIFICATE-----\n'),
        },
      ],
      commands: [
        'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/cluster-api/bootstrap-success.complete',
        "'echo' 'it'\\''s' '2'",
      ],
      ignored: ['ntp', 'users'],
    });
  });

  it('has keys in any case', () => {
    expect(readCloudConfig('runCmd: [a]\nWrite_Files: [{Path: /x, CONTENT: some}]\n')).toMatchObject({
      commands: ['a'],
      files: [{ path: '/x' }],
    });
  });

  it.each([
    ['encoding: b64', Buffer.from('hello', 'base64').toString()],
    ['encoding: " Base64 "', Buffer.from('hello', 'base64').toString()],
    ['encoding: text/plain', 'hello'],
    ['append: true', 'hello'],
  ])('decodes %s', (more, content) => {
    expect(file(more)?.content.toString()).toBe(content);
  });

  it.each(['gz+base64', 'gzip+base64', 'gz+b64', 'GZIP+B64'])('unpacks %s', (encoding) => {
    const content = gzipSync('packed').toString('base64');
    expect(
      readCloudConfig(
        JSON.stringify({ write_files: [{ path: '/a', content, encoding }] }),
      ).files[0]?.content.toString(),
    ).toBe('packed');
  });

  it.each([
    ['write_files: [{path: relative, content: x}]', 'write_files[0].path must be an absolute path'],
    ['write_files: [{path: /a, permissions: rw}]', 'permissions must be octal'],
    ['write_files: [{path: /a, permissions: 0640}]', 'permissions must be a text between quotes'],
    ['write_files: [{path: /a, owner: "root; id"}]', 'invalid owner format'],
    ['write_files: [{path: /a, owner: "-R:x"}]', 'invalid owner format'],
    ['write_files: {}', 'write_files must be a list'],
    ['write_files: [{path: /a, encoding: gz+b64, content: AAAA}]', 'cannot be unpacked'],
    ['write_files: [{path: /a, encoding: b64, content: "***"}]', 'is not base64'],
    ['runcmd: [{a: b}]', 'runcmd[0] must be a text, or a list of words'],
    ['- a', 'the cloud-config must be a mapping'],
    ['a: [', 'the cloud-config is no YAML'],
  ])('is refused when it is %s', (text, message) => {
    expect(() => readCloudConfig(text)).toThrow(message);
  });

  it('that grows without end is refused', () => {
    const content = gzipSync(Buffer.alloc(20 * 1024 * 1024)).toString('base64');
    expect(() =>
      readCloudConfig(JSON.stringify({ write_files: [{ path: '/a', content, encoding: 'gz+b64' }] })),
    ).toThrow('cannot be unpacked');
  });

  it('accepts a bare user as the owner, as retry scripts of Cluster API have it', () => {
    expect(file('owner: root')?.owner).toBe('root');
  });
});
