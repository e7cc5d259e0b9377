/** All parts of the OAuth client. They are loaded together, when the first sign-in begins. */
export { discoverAuthorizationServer } from './discovery.ts'
export {
  buildSignInUrl,
  exchangeAssertion,
  exchangeCode,
  refreshTokens,
  requestServiceToken,
  revokeToken,
} from './grants.ts'
export { chooseClient } from './oauth-client.ts'
export { OAuthFault } from './oauth-fault.ts'
export { openOAuthNetwork } from './oauth-network.ts'
