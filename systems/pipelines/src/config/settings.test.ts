import { describe, expect, it } from 'vitest';
import { configDefaults, standardDefaults } from './config-defaults.ts';
import { eventsConfig, standardEvents } from './events-config.ts';
import { defaultFeatureFlags, featureFlags } from './feature-flags.ts';

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

  it.each([
    [{ 'default-timeout-minutes': '1h' }, 'failed parsing default config "default-timeout-minutes"'],
    [{ 'default-pod-template': '- a' }, 'failed to unmarshal - a'],
    [
      { 'default-create-container-error-timeout': 'soon' },
      'failed parsing default config "default-create-container-error-timeout": time: invalid duration "soon"',
    ],
    [{ 'default-sidecar-log-polling-interval': 'often' }, 'failed parsing default config "often"'],
  ])('that cannot be used are refused: %o', (data, message) => {
    expect(() => configDefaults.parse(data)).toThrow(expect.objectContaining({ message }));
  });
});
