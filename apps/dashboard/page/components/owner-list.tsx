import type { KubeObject } from '@tektite/meta';
import { useEffect } from 'preact/hooks';
import { useApp } from '../app.ts';
import { objectLink } from '../../src/stores/object-link.ts';
import { Link } from './link.tsx';

/** The owners of an object, with links to them. */
export function OwnerList({ object }: { readonly object: KubeObject }) {
  const { discovery } = useApp();
  useEffect(() => void discovery.load(), []);
  const { ownerReferences = [], namespace = '' } = object.metadata;
  if (ownerReferences.length === 0) return <p class="muted">No other object owns it.</p>;
  return (
    <section class="fact-group">
      <h2>Owners</h2>
      <table>
        <tbody>
          {ownerReferences.map(({ apiVersion, kind, name, uid }) => {
            const resource = discovery.findKind(apiVersion, kind);
            return (
              <tr key={uid}>
                <th scope="row">{kind}</th>
                <td>
                  {resource ? (
                    <Link to={objectLink(resource, resource.isNamespaced ? namespace : '', name)}>{name}</Link>
                  ) : (
                    name
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
