import type { TableColumn } from '../../kind-strategy.ts';
import { column, nameDescription, wide } from '../table/columns.ts';

export const eventColumns: readonly TableColumn[] = [
  column('Last Seen', 'string', 'The time at which the most recent occurrence of this event was recorded.'),
  column('Type', 'string', 'Type of this event (Normal, Warning), new types could be added in the future'),
  column(
    'Reason',
    'string',
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
  ),
  column('Object', 'string', 'The object that this event is about.'),
  wide(
    'Subobject',
    'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
  ),
  wide('Source', 'The component reporting this event. Should be a short machine understandable string.'),
  column('Message', 'string', 'A human-readable description of the status of this operation.'),
  wide('First Seen', 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)'),
  wide('Count', 'The number of times this event has occurred.'),
  wide('Name', nameDescription, 'name'),
];
