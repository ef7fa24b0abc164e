import { UserError } from '../user-error.ts';

/** How everything in a new operator is called. */
export interface OperatorNames {
  /** `shop-operator`: the package. */
  readonly project: string;
  /** `shop`: the system and its controller. */
  readonly system: string;
  readonly group: string;
  readonly version: string;
  /** `CoffeeShop`. */
  readonly kind: string;
  /** `coffeeShop`: variables. */
  readonly variable: string;
  /** `coffee-shop`: the file. */
  readonly file: string;
  /** `coffeeshop`: what kubectl takes. */
  readonly resource: string;
}

export interface NameOptions {
  readonly group: string;
  readonly version: string;
  readonly kind?: string;
}

/** Names that the files of an operator use for something else. */
const taken = new Set(['Condition', 'ConfigMap', 'Configuration', 'NonNullable', 'ObjectOf', 'System']);

/** Works out all names from what the user said. */
export function operatorNames(project: string, { group, version, kind }: NameOptions): OperatorNames {
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(project))
    throw new UserError(
      `a name is made of small letters, digits and dashes and begins with a letter, not ${JSON.stringify(project)}`,
      2,
    );
  if (!/^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$/.test(group))
    throw new UserError(`--group must be a domain of yours, as cache.example.com, not ${JSON.stringify(group)}`);
  if (group === 'k8s.io' || group.endsWith('.k8s.io') || group.endsWith('.kubernetes.io'))
    throw new UserError(`--group: ${group} belongs to Kubernetes; take a domain of yours`);
  if (!/^v[1-9][0-9]{0,2}((alpha|beta)[1-9][0-9]{0,2})?$/.test(version))
    throw new UserError(`--version must be as v1alpha1, v1beta1 or v1, not ${JSON.stringify(version)}`);
  const system = project.replace(/(.)-operator$/, '$1');
  const called = kind ?? pascal(system);
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(called))
    throw new UserError(
      `--kind must be a word that begins with a capital, as CoffeeShop, not ${JSON.stringify(called)}`,
    );
  if (taken.has(called)) throw new UserError(`--kind: ${called} means something else in the files; take another word`);
  return {
    project,
    system,
    group,
    version,
    kind: called,
    variable: called.charAt(0).toLowerCase() + called.slice(1),
    file: called.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase(),
    resource: called.toLowerCase(),
  };
}

function pascal(text: string): string {
  return text
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
