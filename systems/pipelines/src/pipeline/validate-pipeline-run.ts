import { quoteGo } from '@tektite/meta';
import { type Param, type ParamSpec, typeOfValue } from '../kinds/param.ts';
import type { PipelineRunSpec } from '../kinds/pipeline-run-spec.ts';
import type { PipelineSpec } from '../kinds/pipeline-spec.ts';
import { RunFailure } from '../task-run/run-failure.ts';
import { goList } from '../task-run/validate-params.ts';
