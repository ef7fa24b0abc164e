/**
 * The smoke test of a container of the image, under any runtime: a program for its Node.js, which prints one line of JSON. The container
 * has a read-only root and no rights.
 */
export const smokeTest = `
const { spawnSync } = require('node:child_process');
const { readdirSync, writeFileSync } = require('node:fs');
const tektite = (...args) => spawnSync('/usr/local/bin/tektite', args, { encoding: 'utf8' });
const isWritable = (file) => { try { writeFileSync(file, ''); return true; } catch { return false; } };
console.log(JSON.stringify({
  user: process.getuid() + ':' + process.getgid(),
  node: process.versions.node,
  authorities: require('node:tls').rootCertificates.length > 100,
  writable: ['/opt/tektite/x', '/usr/local/bin/x', '/x'].filter(isWritable),
  programs: readdirSync('/usr/local/bin').sort(),
  version: tektite('version').stdout.split('\\n')[0],
  definitions: tektite('crds', '--systems', 'all').stdout.split('kind: CustomResourceDefinition').length - 1,
  step: /✓ step program +(.*)/.exec(tektite('doctor').stdout)?.[1],
}));
`;

/** The result that it prints. */
export const smokeResult = (version, node, definitions, architecture = process.arch) => ({
  user: '65532:65532',
  node,
  authorities: true,
  writable: [],
  programs: ['node', 'tektite'],
  version: `tektite  ${version}`,
  definitions,
  step: `/opt/tektite/node_modules/@tektite/native-linux-${architecture}/bin/entrypoint`,
});
