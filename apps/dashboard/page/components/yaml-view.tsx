import type { KubeObject } from '@tektite/meta';
import { useApp } from '../app.ts';
import { yamlText } from '../../src/stores/yaml-text.ts';

/** An object as YAML. */
export function YamlView({ object, onEdit }: { readonly object: KubeObject; readonly onEdit?: () => void }) {
  const { notices } = useApp();
  const text = yamlText(object);
  return (
    <div class="yaml">
      <div class="buttons end">
        {onEdit ? (
          <button type="button" onClick={onEdit}>
            Edit
          </button>
        ) : null}
        <button type="button" onClick={() => void notices.report(navigator.clipboard.writeText(text), () => 'Copied')}>
          Copy
        </button>
      </div>
      <pre tabIndex={0}>
        {text.split('\n').map((line, index) => {
          const [, indent = '', key, rest = ''] = /^(\s*(?:- )*)([^\s:"'][^:]*|"[^"]*"):(.*)$/.exec(line) ?? [];
          return (
            <span key={index} class="yaml-line">
              {key === undefined ? line : [indent, <span class="yaml-key">{key}</span>, `:${rest}`]}
              {'\n'}
            </span>
          );
        })}
      </pre>
    </div>
  );
}
