import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/from-push-to-provenance.md');
