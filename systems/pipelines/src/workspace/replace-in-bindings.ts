import type { KeyToPath } from '@tektite/schema/kubernetes';
import type { WorkspaceBinding } from '../kinds/workspace.ts';
import { replaceText } from '../substitution/replace-text.ts';
import type { Replacements } from '../substitution/replacements.ts';

type Known = Pick<Replacements, 'strings'>;

/** The workspaces of a run with the variables replaced that they may have: in sub-paths, and in the names of what they are. */
export function replaceInBindings(bindings: readonly WorkspaceBinding[], known: Known): readonly WorkspaceBinding[] {
  return known.strings.size === 0 ? bindings : bindings.map((binding) => replaceInBinding(binding, known));
}

function replaceInBinding(binding: WorkspaceBinding, known: Known): WorkspaceBinding {
  const replace = (text: string) => replaceText(text, known);
  const { subPath, persistentVolumeClaim, configMap, secret, projected, csi } = binding;
  return {
    ...binding,
    ...(subPath ? { subPath: replace(subPath) } : {}),
    ...(persistentVolumeClaim
      ? { persistentVolumeClaim: { ...persistentVolumeClaim, claimName: replace(persistentVolumeClaim.claimName) } }
      : {}),
    ...(configMap ? { configMap: replaceSource(configMap, replace) } : {}),
    ...(secret
      ? {
          secret: {
            ...replaceSource(secret, replace),
            ...(secret.secretName ? { secretName: replace(secret.secretName) } : {}),
          },
        }
      : {}),
    ...(projected
      ? {
          projected: {
            ...projected,
            sources: (projected.sources ?? []).map((source) => ({
              ...source,
              ...(source.configMap ? { configMap: replaceSource(source.configMap, replace) } : {}),
              ...(source.secret ? { secret: replaceSource(source.secret, replace) } : {}),
            })),
          },
        }
      : {}),
    ...(csi
      ? {
          csi: {
            ...csi,
            driver: replace(csi.driver),
            ...(csi.nodePublishSecretRef
              ? { nodePublishSecretRef: replaceSource(csi.nodePublishSecretRef, replace) }
              : {}),
          },
        }
      : {}),
  };
}

function replaceSource<T extends { readonly name?: string; readonly items?: readonly KeyToPath[] }>(
  source: T,
  replace: (text: string) => string,
): T {
  return {
    ...source,
    ...(source.name ? { name: replace(source.name) } : {}),
    ...(source.items
      ? { items: source.items.map((item) => ({ ...item, key: replace(item.key), path: replace(item.path) })) }
      : {}),
  };
}
