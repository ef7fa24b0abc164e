import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/tekton-operator.md');
