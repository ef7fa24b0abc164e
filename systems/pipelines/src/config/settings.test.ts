import { describe, expect, it } from 'vitest';
import { configDefaults, standardDefaults } from './config-defaults.ts';
import { eventsConfig, standardEvents } from './events-config.ts';
import { defaultFeatureFlags, featureFlags } from './feature-flags.ts';
import { loggingConfig } from './logging-config.ts';
import { spireConfig } from './spire-config.ts';
import { webhookElectionConfig } from './webhook-election-config.ts';

describe('feature flags', () => {
  it('have the values of a new installation when nothing is said', () => {
    expect(defaultFeatureFlags).toMatchObject({
      enableAPIFields: 'beta',
      coschedule: 'workspaces',
      maxResultSize: 4096,
    });
  });

  it('may be in any case, and booleans as Go reads them', () => {
    const flags = featureFlags.parse({
      'enable-api-fields': 'ALPHA',
      'disable-creds-init': 'T',
      'keep-pod-on-cancel': '1',
    });
    expect(flags).toMatchObject({ enableAPIFields: 'alpha', disableCredsInit: true, enableKeepPodOnCancel: true });
  });

  it.each([
    [{ 'enable-api-fields': 'Gamma' }, 'invalid value for feature flag "enable-api-fields": "gamma"'],
    [
      { 'disable-creds-init': 'yes' },
      'failed parsing feature flags config "yes": strconv.ParseBool: parsing "yes": invalid syntax',
    ],
    [
      { 'enable-artifacts': '' },
      'failed parsing feature flags config "": strconv.ParseBool: parsing "": invalid syntax for feature enable-artifacts',
    ],
    [{ 'max-result-size': 'much' }, 'strconv.Atoi: parsing "much": invalid syntax'],
    [{ 'max-result-size': '9223372036854775808' }, 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
    [
      { 'max-result-size': '1572864' },
      'invalid value for feature flag "results-from": "1572864". This is exceeding the CRD limit',
    ],
    [{ coschedule: 'x', 'results-from': 'y' }, 'invalid value for feature flag "results-from": "y"'],
  ])('that cannot be used are refused: %o', (data, message) => {
    expect(() => featureFlags.parse(data)).toThrow(expect.objectContaining({ message }));
  });
});

describe('where events go', () => {
  it('is nowhere when nothing is said', () => {
    expect(standardEvents).toEqual({ sink: '', formats: ['tektonv1'] });
  });

  it.each([
    [{ formats: '' }, 'formats cannot be empty'],
    [{ formats: 'tektonv1, other' }, 'invalid format: other'],
    [{ formats: 'tektonv1,tektonv1' }, 'duplicate format: tektonv1'],
  ])('is refused in other formats: %o', (data, message) => {
    expect(() => eventsConfig.parse(data)).toThrow(expect.objectContaining({ message }));
  });
});

describe('defaults', () => {
  it('are those of a new installation when nothing is said', () => {
    expect(standardDefaults).toMatchObject({
      timeoutMinutes: 60,
      serviceAccount: 'default',
      managedByLabelValue: 'tekton-pipelines',
      maximumResolutionTimeout: 60_000_000_000n,
      sidecarLogPollingInterval: 100_000_000n,
    });
  });

  it('hold blocks of YAML in the form that objects have', () => {
    const data = {
      'default-pod-template': 'nodeselector:\n  a: b\nenv:\n- name: E\nunknown: 1\n',
      'default-container-resource-requirements': 'default:\n  requests:\n    cpu: 0.5\n',
      'default-forbidden-env': 'B, A,B',
    };
    expect(configDefaults.parse(data)).toMatchObject({
      podTemplate: { nodeSelector: { a: 'b' }, env: [{ name: 'E' }] },
      containerResources: { default: { requests: { cpu: '500m' } } },
      forbiddenEnv: ['A', 'B'],
    });
  });

  it('take numbers and truth values for texts where a text is wanted, as YAML does', () => {
    const { podTemplate } = configDefaults.parse({ 'default-pod-template': 'nodeSelector: {ssd: yes, zone: 5}\n' });
    expect(podTemplate?.nodeSelector).toEqual({ ssd: 'true', zone: '5' });
  });

  it('have a workspace that is parsed on first use', () => {
    const bindingOf = (text: string) =>
      configDefaults.parse({ 'default-task-run-workspace-binding': text }).taskRunWorkspaceBinding;
    expect(bindingOf('- a')).toEqual({ unreadable: 'failed to unmarshal - a' });
    expect(bindingOf('')).toBeUndefined();
  });

  it('may be very large', () => {
    const data = { 'default-max-matrix-combinations-count': '9223372036854775807' };
    expect(configDefaults.parse(data).maxMatrixCombinations).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    [{ 'default-timeout-minutes': '1h' }, 'failed parsing default config "default-timeout-minutes"'],
    [{ 'default-pod-template': '- a' }, 'failed to unmarshal - a'],
    [
      { 'default-create-container-error-timeout': 'soon' },
      'failed parsing default config "default-create-container-error-timeout": time: invalid duration "soon"',
    ],
    [{ 'default-sidecar-log-polling-interval': 'often' }, 'failed parsing default config "often"'],
    [{ 'default-maximum-resolution-timeout': '5' }, 'failed parsing default config "5"'],
    [
      { 'default-create-container-error-timeout': '99999999999999999999h' },
      'failed parsing default config "default-create-container-error-timeout": time: invalid duration "99999999999999999999h"',
    ],
  ])('that cannot be used are refused: %o', (data, message) => {
    expect(() => configDefaults.parse(data)).toThrow(expect.objectContaining({ message }));
  });
});

describe('settings of programs that are not here', () => {
  it.each([
    [loggingConfig, { 'loglevel.webhook': 'loud' }, 'invalid logging level: loud'],
    [
      webhookElectionConfig,
      { 'lease-duration': 'long' },
      'failed to parse "lease-duration": time: invalid duration "long"',
    ],
    [webhookElectionConfig, { buckets: '11' }, 'buckets: value must be between 1 <= 11 <= 10'],
    [
      webhookElectionConfig,
      { buckets: '-1' },
      'failed to parse "buckets": strconv.ParseUint: parsing "-1": invalid syntax',
    ],
  ])('are refused nevertheless when they could not be used: %o %o', (config, data, message) => {
    expect(() => config.parse(data)).toThrow(expect.objectContaining({ message }));
  });

  it('are taken when they could be', () => {
    expect(() => loggingConfig.parse({ 'loglevel.webhook': 'DEBUG', 'loglevel.controller': '' })).not.toThrow();
    expect(() => webhookElectionConfig.parse({ buckets: '3', leaseDuration: '1m' })).not.toThrow();
  });
});

describe('where SPIRE is', () => {
  it('is where its documentation has it when nothing is said', () => {
    expect(spireConfig.parse({})).toMatchObject({ 'spire-trust-domain': 'example.org' });
  });

  it.each([
    [
      { 'spire-trust-domain': '', 'spire-server-addr': '' },
      'failed to parse SPIRE configmap: found unset spire configuration flags: [spire-server-addr spire-trust-domain]',
    ],
    [{ 'spire-node-alias-prefix': 'node' }, 'failed to parse SPIRE configmap: Spire node alias should start with a /'],
  ])('is refused where it cannot be used: %o', (data, message) => {
    expect(() => spireConfig.parse(data as Record<string, string>)).toThrow(expect.objectContaining({ message }));
  });
});
