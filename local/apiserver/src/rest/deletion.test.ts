import { describe, expect, it } from 'vitest';
import { TestServer } from '../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const options = (fields: object) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...fields });

describe('a delete', () => {
  it('whose preconditions do not hold is refused by the kind of the object', async () => {
    await using server = await TestServer.start();
    const { uid, resourceVersion } = (await server.ok('POST', path, configMap('a'))).metadata;
    const wrongUid = await server.send('DELETE', `${path}/a`, options({ preconditions: { uid: 'x' } }));
    expect(wrongUid).toMatchObject({ code: 409, object: { details: { kind: 'ConfigMap' } } });
    expect(wrongUid.object.message).toBe(
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    const wrongVersion = await server.send('DELETE', `${path}/a`, options({ preconditions: { resourceVersion: '1' } }));
    expect(wrongVersion.object.message).toContain(
      `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion})`,
    );
  });

  it.each([
    ['garbage', "couldn't get version/kind; json parse error: invalid character 'g' looking for beginning of value"],
    [
      '{"apiVersion":"v1","kind":"Pod"}',
      'no kind "Pod" is registered for version "v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
    ],
    [
      '{"gracePeriodSeconds":"x"}',
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      '{"preconditions":[]}',
      'json: cannot unmarshal array into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
    ],
  ])('with the body %s is refused', async (body, message) => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    expect(await server.send('DELETE', `${path}/a`, body)).toMatchObject({ code: 400, object: { message } });
  });

  it('with an unreadable body is rejected for its format', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    const { code } = await server.send('DELETE', `${path}/a`, '{}', { headers: { 'content-type': 'text/plain' } });
    expect(code).toBe(415);
  });

  it('of a collection stays within a namespace', async () => {
    await using server = await TestServer.start();
    expect((await server.send('DELETE', '/api/v1/configmaps')).code).toBe(405);
    expect((await server.send('DELETE', path)).code).toBe(200);
  });

  it('that is a dry run shows the object as it is', async () => {
    await using server = await TestServer.start();
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await server.ok('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } });
    const shown = await server.ok('DELETE', `${accounts}/a?dryRun=All`);
    expect(shown.metadata.deletionTimestamp).toBeUndefined();
  });

  it('does not touch the priority classes of the system', async () => {
    await using server = await TestServer.start();
    const { code, object } = await server.send(
      'DELETE',
      '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
    );
    expect(code).toBe(403);
    expect(object.message).toContain('this is a system priority class and cannot be deleted');
  });

  it('of a Pod that is going already changes nothing unless it says how long', async () => {
    await using server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
    const pods = '/api/v1/namespaces/default/pods';
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await server.ok('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    await server.ok('DELETE', `${pods}/p`);
    await server.ok('PATCH', `${pods}/p/status`, '{"status":{"phase":"Succeeded"}}', {
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect((await server.ok('DELETE', `${pods}/p`)).metadata.deletionGracePeriodSeconds).toBe(30);
    expect((await server.ok('DELETE', `${pods}/p?gracePeriodSeconds=5`)).metadata.deletionGracePeriodSeconds).toBe(5);
  });
});
