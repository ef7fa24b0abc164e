import {
  type CelEnvironment,
  celEnvironment,
  type CelType,
  dynType,
  intType,
  mapType,
  stringType,
  structType,
  timestampType,
} from '@tektite/schema';
import { recordStatus } from '../wire/messages.ts';

/** The names that filters of one kind of list may use. */
export interface FilterEnvironment {
  readonly cel: CelEnvironment;
  /** Columns by the names of their variables. */
  readonly columns: Readonly<Record<string, Column>>;
  readonly constants: Readonly<Record<string, string | number>>;
}

interface Column {
  readonly column: string;
  readonly type: 'text' | 'time' | 'number' | 'json';
}

const runTypes = { PIPELINE_RUN: 'tekton.dev/v1.PipelineRun', TASK_RUN: 'tekton.dev/v1.TaskRun' };
const statuses = Object.fromEntries(recordStatus.names.map((name, number) => [name, number]));

const textMap = mapType(stringType, stringType);

const summaryType = structType(
  'tekton.results.v1alpha2.RecordSummary',
  new Map<string, CelType>([
    ['record', stringType],
    ['type', stringType],
    ['start_time', timestampType],
    ['end_time', timestampType],
    ['status', intType],
    ['annotations', textMap],
  ]),
);

/** The filters of Results. */
export const resultFilters: FilterEnvironment = {
  cel: celEnvironment({
    isPlain: true,
    types: [summaryType],
    variables: {
      ...typesOf(runTypes, stringType),
      ...typesOf(statuses, intType),
      parent: stringType,
      uid: stringType,
      annotations: textMap,
      summary: summaryType,
      create_time: timestampType,
      update_time: timestampType,
    },
  }),
  constants: { ...runTypes, ...statuses },
  columns: {
    parent: { column: 'parent', type: 'text' },
    uid: { column: 'id', type: 'text' },
    annotations: { column: 'annotations', type: 'json' },
    create_time: { column: 'created_time', type: 'time' },
    update_time: { column: 'updated_time', type: 'time' },
    'summary.record': { column: 'recordsummary_record', type: 'text' },
    'summary.type': { column: 'recordsummary_type', type: 'text' },
    'summary.start_time': { column: 'recordsummary_start_time', type: 'time' },
    'summary.end_time': { column: 'recordsummary_end_time', type: 'time' },
    'summary.status': { column: 'recordsummary_status', type: 'number' },
    'summary.annotations': { column: 'recordsummary_annotations', type: 'json' },
  },
};

/** The filters of Records. */
export const recordFilters: FilterEnvironment = {
  cel: celEnvironment({
    isPlain: true,
    variables: {
      ...typesOf(runTypes, stringType),
      parent: stringType,
      result_name: stringType,
      name: stringType,
      data_type: stringType,
      data: dynType,
    },
  }),
  constants: runTypes,
  columns: {
    parent: { column: 'parent', type: 'text' },
    result_name: { column: 'result_name', type: 'text' },
    name: { column: 'name', type: 'text' },
    data_type: { column: 'type', type: 'text' },
    data: { column: 'data', type: 'json' },
  },
};

function typesOf(constants: object, type: CelType): Readonly<Record<string, CelType>> {
  return Object.fromEntries(Object.keys(constants).map((name) => [name, type]));
}
