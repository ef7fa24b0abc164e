import type { System } from '@tektite/controller';
import { UserError } from '../user-error.ts';

/**
 * The systems with only these controllers, to run them in several processes. An empty list means all of them; an
 * unknown name is an error.
 */
export function onlyControllers(systems: readonly System[], list: string | undefined): readonly System[] {
  const names = new Set(
    (list ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
  if (names.size === 0) return systems;
  const known = systems.flatMap(({ controllers }) => controllers.map(({ name }) => name));
  const unknown = [...names].filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new UserError(
      `--controllers: un-identified controller names: ${unknown.join(', ')}, supported names: [${known.join(' ')}]`,
    );
  const chosen = (controllers: System['controllers']) => controllers.filter(({ name }) => names.has(name));
  return systems.map((system) => {
    const { configure } = system;
    return {
      ...system,
      controllers: chosen(system.controllers),
      ...(configure
        ? {
            configure: async (services) => {
              const configured = await configure.call(system, services);
              return {
                ...configured,
                system: { ...configured.system, controllers: chosen(configured.system.controllers) },
              };
            },
          }
        : {}),
    };
  });
}
