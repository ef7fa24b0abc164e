import type { Sequence } from '../run-sequence.ts';
import { access } from './access.ts';
import { builtInObjects } from './built-in-objects.ts';
import type { Choice } from './choice.ts';
import { customResources } from './custom-resources.ts';
import type { Definitions } from './json-schema.ts';

/** Makes one sequence. */
export type Topic = (choice: Choice, definitions: Definitions) => Sequence;

/** The areas of the API that sequences are about, by the name that `--topic` takes. */
export const topics: Readonly<Record<string, Topic>> = {
  'built-in': builtInObjects,
  custom: customResources,
  access,
};

/** A topic of one built-in kind. */
export function topicOfKind(kind: string): Topic {
  return (choice, definitions) => builtInObjects(choice, definitions, [kind]);
}
