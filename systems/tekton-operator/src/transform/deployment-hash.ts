import { canonicalHash } from '@tektite/manifest';
import { type DraftDeployment, templateOf } from './workload.ts';

const label = 'operator.tekton.dev/deployment-spec-applied-hash';

/** A label on the Pods of a Deployment that changes with its spec, so that they are recreated. Selector and strategy do not count. */
export function labelWithHash(deployment: DraftDeployment): void {
  const { selector: _selector, strategy: _strategy, ...spec } = deployment.spec;
  const template = templateOf(deployment.spec);
  const labels = { ...template.metadata?.labels, [label]: '' };
  template.metadata = { ...template.metadata, labels };
  const hash = canonicalHash({ ...spec, template }).slice(0, 32);
  template.metadata.labels = { ...labels, [label]: hash };
}
