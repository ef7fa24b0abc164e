import type { Transform } from '@tektite/manifest';
import { type DraftContainer, templateIn } from './workload.ts';

/** Pods of these kinds as the restricted standard wants them. What a release says about its Pods stays, about containers not. */
export function restrictPods(...kinds: readonly ('Deployment' | 'StatefulSet')[]): Transform {
  return function restrictPods(draft) {
    const template = templateIn(draft, ...kinds);
    if (!template) return;
    const given = template.spec.securityContext ?? {};
    template.spec.securityContext = {
      ...given,
      runAsNonRoot: given.runAsNonRoot ?? true,
      seccompProfile: given.seccompProfile ?? { type: 'RuntimeDefault' },
    };
    for (const container of template.spec.containers as DraftContainer[])
      container.securityContext = {
        ...container.securityContext,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      };
  };
}
