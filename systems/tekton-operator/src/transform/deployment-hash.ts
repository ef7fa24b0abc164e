import { decodeStruct, goStructJson } from '@tektite/go';
import { sha256Hex } from '@tektite/manifest';
import { definitionOf } from '@tektite/schema/kubernetes';
import { type DraftDeployment, templateOf } from './workload.ts';

const label = 'operator.tekton.dev/deployment-spec-applied-hash';

/**
 * A label on the Pods of a Deployment that changes with its spec, so that they are recreated. Selector and strategy do not count.
 * The hash is that of Go's struct: what upstream's operator installed has the same one, so a takeover recreates no Pod.
 */
export function labelWithHash(deployment: DraftDeployment): void {
  const { selector: _selector, strategy: _strategy, ...spec } = deployment.spec;
  const template = templateOf(deployment.spec);
  const labels = { ...template.metadata?.labels, [label]: '' };
  template.metadata = { ...template.metadata, labels };
  const printed = decodeStruct(definitionOf('apps/v1.DeploymentSpec'), { ...spec, template }, { strict: false });
  const hash = sha256Hex(goStructJson(printed)).slice(0, 32);
  template.metadata.labels = { ...labels, [label]: hash };
}
