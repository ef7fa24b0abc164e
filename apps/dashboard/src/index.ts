/** The web page of a control plane: its server and the ways to log in. */
export { CodeLogin } from './server/code-login.ts';
export type { Explain } from './server/dashboard-handler.ts';
export { type DashboardOptions, type DashboardServer, serveDashboard } from './server/dashboard-server.ts';
export { HeaderLogin, impersonateWith, type TrustedProxy } from './server/header-login.ts';
export type { Login, LoginRequest } from './server/login.ts';
export type { PageTools } from './server/page-tools.ts';
export { openWithToken, TokenLogin, userName } from './server/token-login.ts';
export type { InstalledObject, InstalledPhase, ToolAnswers, ToolInput } from './api/tool-answers.ts';
export { runFilterTerms } from './stores/run-filter.ts';
export type { Visitor } from './server/visitor.ts';
