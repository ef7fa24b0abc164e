import type { ApiResponse } from '../request/api-response.ts';
import { tokenIssuer, type ServiceAccountTokens } from '../auth/service-account-tokens.ts';

const documentPath = '/.well-known/openid-configuration';
const keysPath = '/openid/v1/jwks';
const headers = { 'cache-control': 'public, max-age=3600' };

/**
 * Answers what verifiers of tokens of service accounts ask: the discovery document of OpenID Connect, and the public keys. Both are found at
 * the name of the API in the cluster. Undefined for other paths.
 */
export async function answerIssuerDiscovery(
  path: string,
  tokens: ServiceAccountTokens,
): Promise<ApiResponse | undefined> {
  if (path !== documentPath && path !== keysPath) return undefined;
  const { algorithm, jwk } = await tokens.publicKey();
  if (path === keysPath)
    return {
      code: 200,
      type: 'text',
      headers,
      contentType: 'application/jwk-set+json',
      text: JSON.stringify({ keys: [jwk] }),
    };
  const document = {
    issuer: tokenIssuer,
    jwks_uri: `${tokenIssuer}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  };
  return { code: 200, type: 'text', headers, contentType: 'application/json', text: JSON.stringify(document) };
}
