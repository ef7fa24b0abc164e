import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/run-pipelines.md');
