/** The parts of the authorization server that the tests use. The package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface StoredToken {
    readonly isValid: boolean
    readonly scope?: string
    readonly accountId?: string
    readonly clientId: string
    readonly grantId?: string
    save(): Promise<string>
  }
  /** A request to the token endpoint. */
  export interface GrantCall {
    readonly oidc: { readonly params: Readonly<Record<string, string | undefined>>; readonly client: object }
    status: number
    body: object
  }
  interface Grant {
    addOIDCScope(scope: string): void
    rejectOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    rejectResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }
  interface Interaction {
    readonly prompt: {
      readonly name: string
      readonly details: {
        readonly missingOIDCScope?: string[]
        readonly missingResourceScopes?: Readonly<Record<string, string[]>>
      }
    }
    readonly params: { readonly client_id: string }
    readonly session?: { readonly accountId: string }
    readonly grantId?: string
  }
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, reply: ServerResponse) => void
    interactionDetails(request: IncomingMessage, reply: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, reply: ServerResponse, result: object): Promise<void>
    readonly AccessToken: {
      new (properties: object): StoredToken
      find(token: string): Promise<StoredToken | undefined>
    }
    readonly RefreshToken: { find(token: string): Promise<{ destroy(): Promise<void> } | undefined> }
    readonly ClientCredentials: { find(token: string): Promise<StoredToken | undefined> }
    registerGrantType(name: string, handler: (ctx: GrantCall) => Promise<void>, parameters: readonly string[]): void
    readonly Grant: new (properties: object) => Grant
  }
}
