import type { Connector } from '../kinds/connector.ts';

/** The component is called like the Connector unless it says otherwise. The rest has its defaults in the schema. */
export function withComponent(connector: Connector): Connector | undefined {
  const { name } = connector.metadata;
  if (connector.spec.component || !name) return undefined;
  return { ...connector, spec: { ...connector.spec, component: name } };
}
