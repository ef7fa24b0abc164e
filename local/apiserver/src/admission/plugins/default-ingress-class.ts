import { instantToMilliseconds, type Mutable, parseTime } from '@tektite/meta';
import type { Ingress, IngressClass } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, isResource } from '../admission.ts';

const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';

/** An Ingress that names no class gets the default one; of several, the youngest. */
export function defaultIngressClass(storage: Storage): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    mutate(request) {
      if (
        request.operation !== 'CREATE' ||
        !isResource(request, 'networking.k8s.io', 'ingresses') ||
        request.subresource !== ''
      )
        return;
      const ingress = request.object as Mutable<Ingress>;
      const { annotations } = ingress.metadata;
      if (ingress.spec?.ingressClassName !== undefined || annotations?.['kubernetes.io/ingress.class'] !== undefined)
        return;
      const [chosen] = storage
        .list('/registry/ingressclasses/')
        .entries.map(({ value }) => value as IngressClass)
        .filter(({ metadata }) => metadata.annotations?.[defaultAnnotation] === 'true')
        .sort((a, b) => bornAt(b) - bornAt(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
      if (chosen) ingress.spec = { ...ingress.spec, ingressClassName: chosen.metadata.name as string };
    },
  };
}

function bornAt({ metadata }: IngressClass): number {
  return metadata.creationTimestamp ? instantToMilliseconds(parseTime(metadata.creationTimestamp)) : 0;
}
