import { bitbucketInterceptor } from './bitbucket.ts';
import { celInterceptor } from './cel.ts';
import { githubInterceptor } from './github.ts';
import { gitlabInterceptor } from './gitlab.ts';
import type { Interceptor } from './interceptor.ts';
import { slackInterceptor } from './slack.ts';

/** The interceptors that come with Triggers, by the path at which upstream serves them. */
export const coreInterceptors: Readonly<Record<string, Interceptor>> = {
  bitbucket: bitbucketInterceptor,
  cel: celInterceptor,
  github: githubInterceptor(),
  gitlab: gitlabInterceptor,
  slack: slackInterceptor,
};
