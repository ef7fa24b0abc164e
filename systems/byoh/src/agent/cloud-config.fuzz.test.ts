import { gzipSync } from 'node:zlib';
import { seededRandom } from '@tektite/meta';
import { Mutator } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { CloudConfigError, readCloudConfig } from './cloud-config.ts';

const inputs = Number(process.env['TEKTITE_FUZZ_INPUTS'] ?? 600);
const seed = Number(process.env['TEKTITE_FUZZ_SEED'] ?? 20261116);

it(`a hostile cloud-config is read or refused (${inputs} inputs, seed ${seed})`, {
  timeout: 60_000 + inputs * 20,
}, () => {
  const packed = gzipSync('hello').toString('base64');
  const mutator = new Mutator(seededRandom(seed), [
    `#cloud-config\nwrite_files:\n- path: /a\n  content: ${packed}\n  encoding: gzip+base64\n  permissions: '0640'\n  owner: root:root\n`,
    '#cloud-config\nruncmd:\n- kubeadm join\n- [echo, "it\'s", 2]\nWRITE_FILES:\n- {path: b, content: c, append: true}\n',
    JSON.stringify({ write_files: [{ path: '/x', content: packed, encoding: 'gz+b64' }], runcmd: [['a', null]] }),
  ]);
  for (let round = 0; round < inputs; round++) {
    const text = mutator.text();
    const start = process.cpuUsage();
    try {
      readCloudConfig(text);
    } catch (error) {
      expect(error, JSON.stringify(text)).toBeInstanceOf(CloudConfigError);
    }
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000, JSON.stringify(text)).toBeLessThan(1000);
  }
});
