import { readFile } from 'node:fs/promises';
import {
  type ApiServerOptions,
  AuditLog,
  AuditPolicy,
  AuditWebhook,
  type LogRotation,
  webhookServer,
} from '@tektite/apiserver';
import { type ClientConfig, isClientError, loadConfig } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { systemClock } from '@tektite/meta';
import type { Started } from './undone-after.ts';
import { explainFileError, readNumber, UserError } from './user-error.ts';

/** The options of `up` about audit, named as those of kube-apiserver. */
export interface AuditOptions {
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogMaxsize: string;
  readonly auditLogMaxbackup: string;
  readonly auditLogMaxage: string;
  readonly auditWebhookConfigFile?: string;
}

/** Which requests are recorded, and where. */
export interface AuditSettings {
  readonly policy: AuditPolicy;
  readonly log?: { readonly path: string; readonly rotation: LogRotation };
  readonly webhook?: ClientConfig;
}

const megabyte = 1024 * 1024;

/** Reads the options, and the files that they name; `undefined` where nothing is recorded. */
export async function readAudit(options: AuditOptions): Promise<AuditSettings | undefined> {
  const { auditPolicyFile: file, auditLogPath: path, auditWebhookConfigFile: webhook } = options;
  const hasBackend = path !== undefined || webhook !== undefined;
  if (file === undefined && !hasBackend) return undefined;
  if (file === undefined || !hasBackend)
    throw new UserError('--audit-policy-file belongs together with --audit-log-path or --audit-webhook-config-file');
  const rotation = readRotation(options);
  return {
    policy: await readPolicy(file),
    ...(path === undefined ? {} : { log: { path, rotation } }),
    ...(webhook === undefined ? {} : { webhook: await readWebhookConfig('--audit-webhook-config-file', webhook) }),
  };
}

/** A kubeconfig that names a webhook. */
export async function readWebhookConfig(option: string, file: string): Promise<ClientConfig> {
  try {
    return await loadConfig({ kubeconfig: file });
  } catch (error) {
    if (!isClientError(error)) throw error;
    throw new UserError(`${option}: ${error.message}`);
  }
}

/** Opens the backends; they are closed with what else was started. */
export function openAudit(
  { policy, log: file, webhook }: AuditSettings,
  started: Started,
  log: Logger,
): NonNullable<ApiServerOptions['audit']> {
  const onError = (error: Error) => log.error('audit', { error });
  const backends: (AuditLog | AuditWebhook)[] = [];
  if (file) backends.push(openLog(file.path, file.rotation, onError));
  if (webhook) backends.push(new AuditWebhook(webhookServer(webhook), systemClock, onError));
  for (const backend of backends) started.push(() => backend[Symbol.asyncDispose]());
  return {
    policy,
    backend(event) {
      for (const backend of backends) backend.write(event);
    },
  };
}

function openLog(path: string, rotation: LogRotation, onError: (error: Error) => void): AuditLog {
  try {
    return AuditLog.open(path, onError, rotation);
  } catch (error) {
    throw new UserError(`--audit-log-path: ${explainFileError(error, path) ?? (error as Error).message}`);
  }
}

async function readPolicy(file: string): Promise<AuditPolicy> {
  try {
    return AuditPolicy.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const cause = explainFileError(error, file) ?? `${file}: ${(error as Error).message}`;
    throw new UserError(`--audit-policy-file: ${cause}`);
  }
}

/** 0 is no limit, and for the size that of upstream, 100 MB. */
function readRotation({ auditLogMaxsize, auditLogMaxbackup, auditLogMaxage }: AuditOptions): LogRotation {
  const megabytes = readNumber('--audit-log-maxsize', auditLogMaxsize, 0, 100_000) || 100;
  const maxBackups = readNumber('--audit-log-maxbackup', auditLogMaxbackup, 0, 100_000);
  const maxDays = readNumber('--audit-log-maxage', auditLogMaxage, 0, 100_000);
  return {
    maxBytes: megabytes * megabyte,
    ...(maxBackups === 0 ? {} : { maxBackups }),
    ...(maxDays === 0 ? {} : { maxDays }),
  };
}
