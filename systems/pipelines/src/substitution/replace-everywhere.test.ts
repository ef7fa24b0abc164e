import { expect, it } from 'vitest';
import { replaceEverywhere } from './replace-everywhere.ts';
import { stringReplacements } from './replacements.ts';

it('replaces variables in the texts of a Pod template, and in the labels that it asks for', () => {
  const template = {
    nodeSelector: { '$(params.a)': '$(params.a)' },
    topologySpreadConstraints: [{ labelSelector: { matchLabels: { 'x/$(params.a)': 'y' } } }],
    volumes: [{ csi: { volumeAttributes: { '$(params.a)': '$(params.a)' } } }],
  };
  expect(replaceEverywhere(template, stringReplacements([['params.a', 'A']]))).toEqual({
    nodeSelector: { A: 'A' },
    topologySpreadConstraints: [{ labelSelector: { matchLabels: { 'x/A': 'y' } } }],
    volumes: [{ csi: { volumeAttributes: { '$(params.a)': 'A' } } }],
  });
});
