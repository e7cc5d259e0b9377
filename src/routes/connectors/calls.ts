import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { approveAskFirst, denyAskFirst, listAskFirst } from '@apprentice/contracts/connectors/ask-first.ts'
import {
  callConnectorTool,
  cancelConnectorCall,
  type ConnectorCall,
  getConnectorCall,
  listConnectorTools,
} from '@apprentice/contracts/connectors/dispatch.ts'
import { getConnectorContent, readConnectorContent } from '@apprentice/contracts/connectors/m365/contents.ts'
import type { Provider } from '@apprentice/contracts/connectors/values.ts'
import type { System } from '../../daemon/system.ts'
import type { CommandContext } from '../../domain/command/context.ts'
import { decideApproval, listApprovals, withdrawApproval } from '../../domain/connectors/approvals.ts'
import { getContent } from '../../domain/connectors/contents.ts'
import { readCall } from '../../domain/connectors/dispatches.ts'
import { startCall } from '../../domain/connectors/m365-calls.ts'
import { findServerForTool } from '../../domain/connectors/server-choice.ts'
import { listCallableTools } from '../../domain/connectors/tool-list.ts'
import { Failure } from '../../failure/failure.ts'
import type { Caller } from '../../http/access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { encodePart } from '../../knowledge/connectors/content-part.ts'

/** Time for the job to record the end of a call after its deadline. */
const SETTLE_MARGIN_MS = 5000

export function connectorCallRoutes(app: FastifyInstance, { commands, config, connectors, jobs }: System): void {
  const { vault, contents } = connectors
  const { approved_scopes } = config.settings.connectors.m365
  const deps = { cipher: vault, approved: approved_scopes }
  const on = mountContract(app)
  const read = (dispatchId: string, caller: Caller): ConnectorCall => {
    const call = commands.read((reader) => readCall(reader, vault, dispatchId, toViewer(caller)))
    const progress = connectors.progress.find(dispatchId)
    return progress === undefined ? call : { ...call, progress }
  }

  on(listConnectorTools)(() =>
    commands.read((reader) => ({ tools: listCallableTools(reader, commands.now()), schema_version: 1 as const })),
  )
  on(callConnectorTool)(async (request, reply) => {
    const { client_request_id: _c, schema_version: _s, server_id, provider, wait_ms, ...call } = request.body
    // A repeated request finds the first call, whatever became of it.
    const { dispatch_id } = await commands.command(request, (ctx) => {
      const chosen = server_id ?? chooseServer(ctx, provider, call)
      return startCall(ctx, { ...call, server_id: chosen }, deps)
    })
    const first = read(dispatch_id, request.caller)
    if (first.status === 'waiting_for_approval') throw askFirst(first)
    await jobs.waitUntilSettled(dispatch_id, wait_ms ?? call.max_duration_ms + SETTLE_MARGIN_MS)
    const ended = read(dispatch_id, request.caller)
    if (isOpen(ended)) void reply.code(202)
    return refuseIfBlocked(ended)
  })
  on(getConnectorCall)(async ({ params: { dispatchId }, query: { wait_ms, seen_progress }, caller }) => {
    const call = read(dispatchId, caller)
    if (wait_ms === 0 || !isOpen(call) || call.progress?.progress !== seen_progress) return call
    const reported = new AbortController()
    const stopListening = connectors.progress.onNextReport(dispatchId, () => reported.abort())
    await jobs.waitUntilSettled(dispatchId, wait_ms, reported.signal)
    stopListening()
    return read(dispatchId, caller)
  })
  on(getConnectorContent)(({ params, caller }, reply) => {
    const found = commands.read((reader) => getContent(reader, params.contentRef, caller.user_id))
    void reply.header('content-length', found.bytes).header('content-disposition', formatDisposition(found.file_name))
    return Readable.from(contents.stream(found))
  })
  on(readConnectorContent)(async ({ params: { contentRef }, query: { offset, max_bytes }, caller }) => {
    const found = commands.read((reader) => getContent(reader, contentRef, caller.user_id))
    const { encoding, data, taken } = encodePart(await contents.readPart(found, offset, max_bytes))
    const { file_name, media_type, bytes } = found
    const next = offset + taken
    return {
      content_ref: contentRef,
      file_name,
      media_type,
      bytes,
      encoding,
      data,
      ...(taken > 0 && next < bytes ? { next_offset: next } : {}),
      schema_version: 1 as const,
    }
  })
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

function chooseServer(
  { tx, now }: CommandContext,
  provider: Provider | undefined,
  { tool_name, project_id }: { readonly tool_name: string; readonly project_id?: string | undefined },
): string {
  if (provider !== undefined) return findServerForTool(tx, { provider, tool_name, project_id }, now)
  throw new Failure('INVALID_REQUEST', 'server_id: name a server or a provider', { details: { field: 'server_id' } })
}

/** The name in UTF-8, which every client understands. */
const formatDisposition = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name.replaceAll(/\p{Surrogate}/gu, '?')).replaceAll("'", '%27')}`

const isOpen = ({ status }: ConnectorCall): boolean => status === 'running' || status === 'queued'

const toViewer = ({ user_id, privilege }: Caller) => ({ user_id, is_admin: privilege === 'admin' })

const askFirst = ({ dispatch_id, correlation_id, tool_name }: ConnectorCall): Failure =>
  new Failure('MCP_ASK_FIRST_REQUIRED', `A person has to approve this call of ${tool_name}.`, {
    details: { dispatch_id, correlation_id },
  })

const BLOCKING_CODES = [
  'MCP_AUTH_CHALLENGE_REQUIRED',
  'MCP_THROTTLED',
  'M365_AUTH_EXPIRED',
  'M365_SCOPE_MISSING',
  'M365_FORBIDDEN_AUTH_MODE',
  'M365_OBO_CHAIN_UNVERIFIED',
  'M365_DELEGATED_ONLY_OPERATION',
] as const

/** What a person or time has to solve is a failure of the request. What the server answered is a reply. */
function refuseIfBlocked(call: ConnectorCall): ConnectorCall {
  const { error_code, error_message = '', dispatch_id, correlation_id } = call
  const code = BLOCKING_CODES.find((one) => one === error_code)
  if (code === undefined) return call
  throw new Failure(code, error_message, { details: { dispatch_id, correlation_id } })
}
