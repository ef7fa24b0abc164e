import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import type { ConfigDefaults } from '../../config/config-defaults.ts';
import { ResolutionRequest, type ResolutionRequestObject } from '../../kinds/resolution-request.ts';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import { decideRequest } from './decide.ts';

/** Follows requests from their start to their end, whichever resolver answers them. */
export function resolutionRequestController(defaults: () => ConfigDefaults): ControllerDefinition {
  return defineController<ResolutionRequestObject>({
    name: 'resolutionrequest',
    queue: 'github.com.tektoncd.pipeline.pkg.reconciler.resolutionrequest.Reconciler',
    kind: ResolutionRequest,
    async reconcile(request, { clock, writeStatus }) {
      if (isCompleted(request.status)) return undefined;
      const { status, waitMs } = decideRequest(request, clock.now(), defaults().maximumResolutionTimeout);
      await writeStatus(request, status);
      return waitMs === undefined ? undefined : requeueAfter(waitMs);
    },
  });
}
