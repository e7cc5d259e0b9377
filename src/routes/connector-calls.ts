import type { FastifyInstance } from 'fastify'
import { approveAskFirst, denyAskFirst, listAskFirst } from '@apprentice/contracts/connectors/ask-first.ts'
import {
  callConnectorTool,
  cancelConnectorCall,
  type ConnectorCall,
  getConnectorCall,
  listConnectorTools,
} from '@apprentice/contracts/connectors/dispatch.ts'
import type { System } from '../daemon/system.ts'
import { decideApproval, listApprovals, withdrawApproval } from '../domain/connectors/approvals.ts'
import { readCall, startDispatch } from '../domain/connectors/dispatches.ts'
import { listCallableTools } from '../domain/connectors/tool-list.ts'
import { Failure } from '../failure/failure.ts'
import type { Caller } from '../http/access.ts'
import { mountContract } from '../http/contract-routes.ts'

/** Time for the job to record the end of a call after its deadline. */
const SETTLE_MARGIN_MS = 5000

export function connectorCallRoutes(app: FastifyInstance, { commands, connectors, jobs }: System): void {
  const { vault } = connectors
  const on = mountContract(app)
  const read = (dispatchId: string, caller: Caller): ConnectorCall =>
    commands.read((reader) => readCall(reader, vault, dispatchId, toViewer(caller)))

  on(listConnectorTools)(() =>
    commands.read((reader) => ({ tools: listCallableTools(reader, commands.now()), schema_version: 1 as const })),
  )
  on(callConnectorTool)(async (request, reply) => {
    const { client_request_id: _c, schema_version: _s, ...call } = request.body
    // A repeated request finds the first call, whatever became of it.
    const { dispatch_id } = await commands.command(request, (ctx) => startDispatch(ctx, vault, call))
    const first = read(dispatch_id, request.caller)
    if (first.status === 'waiting_for_approval') throw askFirst(first)
    await jobs.waitUntilSettled(dispatch_id, call.max_duration_ms + SETTLE_MARGIN_MS)
    const ended = read(dispatch_id, request.caller)
    if (ended.status === 'running' || ended.status === 'queued') void reply.code(202)
    return refuseIfBlocked(ended)
  })
  on(getConnectorCall)(({ params, caller }) => read(params.dispatchId, caller))
  on(cancelConnectorCall)(async (request) => {
    const { dispatchId } = request.params
    const call = read(dispatchId, request.caller)
    const isWithdrawn = await commands.write(request, (ctx) =>
      withdrawApproval({ ...ctx, correlation_id: call.correlation_id }, dispatchId),
    )
    if (!isWithdrawn && (await jobs.cancel(dispatchId))) await jobs.waitUntilSettled(dispatchId, SETTLE_MARGIN_MS)
    return read(dispatchId, request.caller)
  })
}

export function askFirstRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)
  on(listAskFirst)(({ caller }) =>
    commands.read((reader) => ({
      dispatches: listApprovals(reader, { ...toViewer(caller), now: commands.now() }),
      schema_version: 1 as const,
    })),
  )
  for (const contract of [approveAskFirst, denyAskFirst] as const) {
    on(contract)((request) =>
      commands.command(request, (ctx) => decideApproval(ctx, request.params.dispatchId, request.body)),
    )
  }
}

const toViewer = ({ user_id, privilege }: Caller) => ({ user_id, is_admin: privilege === 'admin' })

const askFirst = ({ dispatch_id, correlation_id, tool_name }: ConnectorCall): Failure =>
  new Failure('MCP_ASK_FIRST_REQUIRED', `A person has to approve this call of ${tool_name}.`, {
    details: { dispatch_id, correlation_id },
  })

/** What a person or time has to solve is a failure of the request. What the server answered is a reply. */
function refuseIfBlocked(call: ConnectorCall): ConnectorCall {
  const { error_code, error_message = '', dispatch_id, correlation_id } = call
  if (error_code !== 'MCP_AUTH_CHALLENGE_REQUIRED' && error_code !== 'MCP_THROTTLED') return call
  throw new Failure(error_code, error_message, { details: { dispatch_id, correlation_id } })
}
