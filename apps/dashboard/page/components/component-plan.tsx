import type { PlannedComponent } from '../../src/api/tool-answers.ts';

/** The plan of the Tekton Operator for a changed TektonConfig, component by component. */
export function ComponentPlan({ components }: { readonly components: readonly PlannedComponent[] }) {
  return (
    <section class="plan" aria-label="Plan of the operator">
      <h2>The Tekton Operator would do this</h2>
      <ul>
        {components.map(({ kind, name, fate, version, problem, objects }) => (
          <li key={`${kind}/${name}`}>
            <span class={`fate ${fate}`}>{fate}</span> <b>{kind}</b> {name}
            {version && fate !== 'deleted' ? <span class="muted"> {version}</span> : null}
            {problem ? <p class="problem">{problem}</p> : null}
            {objects.length > 0 ? (
              <ul>
                {objects.map(({ object, fate: becomes }) => (
                  <li key={`${object.kind}/${object.namespace ?? ''}/${object.name}`}>
                    <span class={`fate ${becomes}`}>{becomes}</span> {object.kind}{' '}
                    {object.namespace ? `${object.namespace}/` : ''}
                    {object.name}
                  </li>
                ))}
              </ul>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
