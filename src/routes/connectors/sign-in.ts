import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { respondToChallenge } from '@apprentice/contracts/connectors/challenges.ts'
import {
  finishConnectorSignIn,
  refreshConnectorSignIn,
  revokeConnectorSignIn,
  startConnectorSignIn,
} from '@apprentice/contracts/connectors/sign-in.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import type { System } from '../../daemon/system.ts'
import { answerChallenge } from '../../domain/connectors/challenge-responses.ts'
import { getServer } from '../../domain/connectors/registry/server-view.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { findCallerByCookie } from '../../http/request-guards.ts'
import { formatSignInPage } from './sign-in-page.ts'

export function connectorSignInRoutes(app: FastifyInstance, system: System): void {
  const { commands, connectors, access, config } = system
  const approved = config.settings.connectors.m365.approved_scopes
  const on = mountContract(app)

  on(startConnectorSignIn)((request) => {
    const { serverId } = request.params
    const { client_request_id, server_id, requested_scopes_override } = request.body
    const { user_id, token_id } = request.caller
    assertSameServer(serverId, server_id)
    // The guards accept only host names of this daemon.
    const redirect_uri = `http://${request.headers.host}/api/mcp/servers/${serverId}/auth/callback`
    const by = { user_id, token_id, client_request_id }
    const wanted = { server_id, scopes_override: requested_scopes_override, redirect_uri, ...by }
    return connectors.signIns.start(wanted, (work) => commands.write(request, work))
  })

  on(finishConnectorSignIn)(async ({ params, query, headers }, reply) => {
    const finish = () => {
      commands.read((reader) => getServer(reader, params.serverId))
      return connectors.signIns.finish(params.serverId, query, findCallerByCookie(headers, access)?.user_id)
    }
    return acceptsPage(headers) ? sendPage(reply, finish) : finish()
  })

  on(refreshConnectorSignIn)((request) => {
    const { server_id, force } = request.body
    assertSameServer(request.params.serverId, server_id)
    return commands.commandOnce(request, () =>
      connectors.tokens.refresh({ server_id, force, is_automatic: false }, (work) => commands.write(request, work)),
    )
  })

  on(respondToChallenge)((request) => commands.command(request, (ctx) => answerChallenge(ctx, request.body, approved)))

  on(revokeConnectorSignIn)((request) => {
    assertSameServer(request.params.serverId, request.body.server_id)
    commands.read((reader) => getServer(reader, request.params.serverId))
    return commands.commandOnce(request, () =>
      connectors.tokens.revoke(request.body, (work) => commands.write(request, work)),
    )
  })
}

/** A body may repeat the id in the path. Both must be the same. */
export function assertSameServer(inPath: string, inBody: string): void {
  if (inPath === inBody) return
  throw new Failure('INVALID_REQUEST', 'server_id: it must be the id in the path', { details: { field: 'server_id' } })
}

const acceptsPage = ({ accept = '' }: FastifyRequest['headers']): boolean => accept.includes('text/html')

/** Answers a browser with a page, also when the sign-in failed. */
async function sendPage(reply: FastifyReply, finish: () => Promise<ServerAuthStatus>): Promise<never> {
  const outcome = await finish().catch((error: unknown) => {
    if (error instanceof Failure) return error
    throw error
  })
  if (outcome instanceof Failure) void reply.code(outcome.status)
  void reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
  // A page is not serialised by the contract, because it is not JSON.
  return reply.type('text/html; charset=utf-8').send(formatSignInPage(outcome)) as never
}
