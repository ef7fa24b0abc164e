import type { ApiResponse } from '../request/api-response.ts';

/** The Kubernetes version whose behaviour this server has. Clients decide by it what they may ask for. */
export const kubernetesVersion = { major: '1', minor: '36', patch: '4' };

/** Answers `/version`. */
export function answerVersion(): ApiResponse {
  const { major, minor, patch } = kubernetesVersion;
  return {
    code: 200,
    type: 'object',
    media: 'json',
    object: {
      major,
      minor,
      emulationMajor: major,
      emulationMinor: minor,
      minCompatibilityMajor: major,
      minCompatibilityMinor: String(Number(minor) - 1),
      gitVersion: `v${major}.${minor}.${patch}+tektite`,
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: `node${process.versions.node}`,
      compiler: 'tsc',
      platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    },
  };
}
