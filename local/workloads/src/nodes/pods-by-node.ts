import type { Pod } from '@tektite/schema/kubernetes';

/** Finds Pods by their node. One function for all controllers, as the cache of Pods is shared. */
export const podsByNode = ({ spec }: Pod): string[] => (spec?.nodeName ? [spec.nodeName] : []);
