import { type ControllerDefinition, defineController } from '@tektite/controller';
import { ClusterInterceptor, type ClusterInterceptorObject, Interceptor } from '../../kinds/interceptor.ts';
import { resolveAddress } from '../../sink/interceptor-address.ts';

/** Report the addresses of Interceptors and ClusterInterceptors. */
export function interceptorControllers(): readonly ControllerDefinition[] {
  return [Interceptor, ClusterInterceptor].map((kind) =>
    defineController<ClusterInterceptorObject>({
      name: kind.singular,
      kind,
      async reconcile(interceptor, { writeStatus }) {
        const { url, service } = interceptor.spec.clientConfig;
        if (url === undefined && !service) return;
        const { generation } = interceptor.metadata;
        await writeStatus(interceptor, {
          ...interceptor.status,
          ...(generation === undefined ? {} : { observedGeneration: generation }),
          address: { url: resolveAddress(interceptor) },
        });
      },
    }),
  );
}
