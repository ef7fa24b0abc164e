import { decodeJson, isDecodeError, jsonTypeName, mismatchText, plainNumbers } from '@tektite/go';
import { equalJson, internalServerError, isStatusError, quoteGo } from '@tektite/meta';
import { applyJsonPatch } from '@tektite/schema/patch';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { AdmissionPlugin, AdmissionRequest, MutationRound } from '../admission.ts';
import { Reinvocation } from '../reinvocation.ts';
import { replaceContents } from '../replace-contents.ts';
import { convertObject, type ReviewedObjects } from '../matching/object-versions.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { failsOpen, failureOf, isExempt, type WebhookCaller } from './webhook-caller.ts';
import { annotateFailedOpen, annotateMutation, annotatePatch } from './mutation-annotations.ts';
import type { WebhookConfigurations } from './webhook-configurations.ts';
import { WebhookCallError } from './webhook-errors.ts';

/**
 * Asks webhooks one after the other and applies their patches; each sees what those before it made of the object. A
 * webhook with the policy IfNeeded is asked a second time when the object was changed after it was asked.
 */
export function mutatingWebhooks(configurations: WebhookConfigurations, caller: WebhookCaller): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    mutate(request, round) {
      const webhooks = isExempt(request) ? [] : configurations.concernedBy(request, caller.matcher);
      if (webhooks.length === 0) return undefined;
      return new Mutation(request, round, caller).run(webhooks);
    },
  };
}

class Mutation {
  private readonly request: AdmissionRequest;
  private readonly caller: WebhookCaller;
  private readonly reinvocation: Reinvocation;
  /** The object, and the version it is in at the moment. */
  private current: { readonly resource: Resource; readonly object: Draft } | undefined;
  private changed = false;
  private readonly round: number;

  constructor(request: AdmissionRequest, round: MutationRound, caller: WebhookCaller) {
    this.request = request;
    this.caller = caller;
    this.round = round.isSecond ? 1 : 0;
    this.reinvocation = Reinvocation.begin('MutatingAdmissionWebhook', round, request);
    if (request.object) this.current = { resource: request.resource, object: request.object };
  }

  async run(webhooks: readonly CompiledWebhook[]): Promise<void> {
    for (const webhook of webhooks) await this.ask(webhook);
    await this.finish();
    this.reinvocation.end(this.request);
  }

  private async ask(webhook: CompiledWebhook): Promise<void> {
    const seen = this.current ? { ...this.request, object: this.current.object } : this.request;
    const resource = await this.caller.wantedVersion(webhook, seen, (version) => this.objectsIn(version));
    if (!resource || !this.reinvocation.mayAsk(webhook.id)) return;
    let mutated = false;
    try {
      const objects = await this.objectsIn(resource);
      const decision = await this.caller.call(webhook, seen, resource, objects, true);
      mutated =
        decision.patch !== undefined && this.apply(webhook, resource, objects, decision.patch, decision.patchType);
      if (mutated) {
        this.changed = true;
        this.reinvocation.objectChanged();
      }
    } catch (error) {
      if (failsOpen(webhook, error)) annotateFailedOpen(this.request, webhook, this.round);
      const failure = failureOf(webhook, error);
      if (failure) throw failure;
    } finally {
      annotateMutation(this.request, webhook, this.round, mutated);
    }
    if (webhook.isReinvoked) this.reinvocation.wasAsked(webhook.id);
  }

  /** The objects in a version. The new one stays in it, so that what a webhook adds is kept even if other versions lack it. */
  private async objectsIn(resource: Resource): Promise<ReviewedObjects> {
    const { oldObject, kind } = this.request;
    if (kind) return { object: this.current?.object, oldObject };
    if (this.current && this.current.resource !== resource)
      this.current = { resource, object: await convertObject(this.current.object, this.current.resource, resource) };
    return {
      object: this.current?.object,
      oldObject:
        oldObject && resource !== this.request.resource
          ? await convertObject(oldObject, this.request.resource, resource)
          : oldObject,
    };
  }

  /** Applies a patch, reads the result as if it had been sent, and says whether anything is different. */
  private apply(
    webhook: CompiledWebhook,
    resource: Resource,
    { object }: ReviewedObjects,
    text: string,
    patchType: string,
  ): boolean {
    const patch = parsePatch(webhook.name, text);
    if (patch.length === 0) return false;
    if (!object)
      throw internalServerError(
        `admission webhook ${quoteGo(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    if (patchType !== 'JSONPatch')
      throw new WebhookCallError(webhook.name, `unsupported patch type ${quoteGo(patchType)}`);
    const patched = decodePatched(this.request, resource, applyPatch(object, patch));
    annotatePatch(this.request, webhook, this.round, patch);
    const changed = !equalJson(patched, object);
    if (changed) this.current = { resource: this.request.kind ? this.request.resource : resource, object: patched };
    return changed;
  }

  /** Puts the result where the request expects it. */
  private async finish(): Promise<void> {
    const { current, request } = this;
    if (!this.changed || !current || !request.object) return;
    const result =
      request.kind || current.resource === request.resource
        ? current.object
        : await convertObject(current.object, current.resource, request.resource);
    replaceContents(request.object, result);
  }
}

function parsePatch(webhook: string, text: string): unknown[] {
  let patch: unknown;
  try {
    patch = plainNumbers(decodeJson(new TextEncoder().encode(text)).value);
  } catch (cause) {
    throw undecodable(webhook, (cause as Error).message, cause);
  }
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(webhook, mismatchText(jsonTypeName(patch), 'jsonpatch.Patch'));
  return patch as unknown[];
}

function undecodable(webhook: string, reason: string, cause?: unknown): WebhookCallError {
  return new WebhookCallError(webhook, `received undecodable patch in webhook response: ${reason}`, { cause });
}

function applyPatch(object: unknown, patch: unknown): unknown {
  try {
    return applyJsonPatch(object, patch);
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const { cause } = error;
    throw internalServerError(cause instanceof Error ? cause.message : error.message, error);
  }
}

function decodePatched(request: AdmissionRequest, resource: Resource, patched: unknown): Draft {
  // The handler checks what is no object of the resource (a Scale, a Binding).
  if (request.kind) return patched as Draft;
  try {
    return resource.decode({ value: patched, hasNumberTexts: false }, { keepNulls: true }).object;
  } catch (error) {
    throw isDecodeError(error) ? internalServerError(error.message, error) : error;
  }
}
