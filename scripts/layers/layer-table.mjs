/**
 * The layers of the repository and the layers that each may import. A layer that names itself allows imports between its rooms,
 * as far as their package.json declares them. Systems and local rooms never import each other: they meet over the API.
 */
export const layers = {
  core: ['core'],
  local: ['core', 'local'],
  systems: ['core'],
  testing: ['core', 'local', 'testing'],
  examples: ['core', 'systems'],
  // The command runs simulations for those who write operators.
  apps: ['core', 'local', 'systems', 'apps', 'testing'],
  bench: ['core', 'local', 'systems', 'apps', 'testing'],
};
