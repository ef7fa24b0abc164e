import { expectTypeOf } from 'expect-type';
import type { Pod } from '@tektite/schema/kubernetes';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { type CachedPipelineRun, type CachedPod, type CachedTaskRun, isWhole } from './cache-transforms.ts';

declare const pod: CachedPod;
declare const taskRun: CachedTaskRun;
declare const pipelineRun: CachedPipelineRun;

// Whole objects will do where cached ones do, and not the other way round.
expectTypeOf<Pod>().toExtend<CachedPod>();
expectTypeOf<TaskRun>().toExtend<CachedTaskRun>();
expectTypeOf<PipelineRun>().toExtend<CachedPipelineRun>();
expectTypeOf<CachedPod>().not.toExtend<Pod>();
expectTypeOf<CachedTaskRun>().not.toExtend<TaskRun>();
expectTypeOf<CachedPipelineRun>().not.toExtend<PipelineRun>();

// Names are kept; nothing can be done with what is not.
expectTypeOf(pod.spec?.initContainers?.[0]?.name).toEqualTypeOf<string | undefined>();
expectTypeOf(pod.spec?.containers?.[0]?.image).toEqualTypeOf<unknown>();
expectTypeOf(pod.spec?.volumes).toEqualTypeOf<unknown>();
expectTypeOf(taskRun.status?.steps).toEqualTypeOf<unknown>();
expectTypeOf(pipelineRun.status?.pipelineSpec).toEqualTypeOf<unknown>();

// Of a run that is under way, all is kept.
if (isWhole(taskRun)) expectTypeOf(taskRun).toExtend<TaskRun>();
